// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/models.hpp>
#include <hogwild/options.hpp>

namespace hogwild::python {

/// A model that Python has made at run time. Any thread may ask it, and nothing changes it.
class own_model {
 public:
  virtual ~own_model() = default;
  /// What the command line of a run calls it.
  virtual std::string_view name() const = 0;
  /// The model for these rows. Throws config_error where it does not suit them, or is wrong in itself.
  virtual named_model on(const sparse_view& rows) const = 0;
  /// What the run has to know besides.
  virtual void complete(train_options&) const {}
  /// Whether what it has trained goes into a saved model; else it takes the parameters back itself.
  virtual bool is_saved() const = 0;
};

}  // namespace hogwild::python
