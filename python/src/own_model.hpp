// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/models.hpp>
#include <hogwild/options.hpp>

namespace hogwild::python {

/// A model that Python has made at run time. Nothing changes it, so any thread may use it.
class own_model {
 public:
  virtual ~own_model() = default;
  /// Its name on the command line of a run.
  virtual std::string_view name() const = 0;
  /// The model for these rows. Throws config_error if it does not suit them, or is invalid itself.
  virtual named_model on(const sparse_view& rows) const = 0;
  /// Sets other options that the run needs.
  virtual void complete(train_options&) const {}
  /// Whether the trained parameters go into a saved model; otherwise Python takes them from the run.
  virtual bool is_saved() const = 0;
};

}  // namespace hogwild::python
