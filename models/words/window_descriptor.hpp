// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/error.hpp>

// The common part of skip_gram and cbow besides their formulas. They are saved as word vectors, not as a model of rows.

namespace hogwild::detail {

/// Throws config_error for an option out of range.
window_model windows_for(const sparse_view& rows, const model_options& options);
std::vector<model_option> window_options();
void check_window_options(const model_options& options);

template <class M>
class window_descriptor final : public descriptor_for<M> {
 public:
  explicit window_descriptor(std::string summary)
      : descriptor_for<M>({.summary = std::move(summary),
                           .input = model_input::corpus,
                           .options = window_options(),
                           .uses = {"min-count"}}) {}

  void check(const model_options& options) const override { check_window_options(options); }

  named_model make(const model_data& data, const model_options& options) const override {
    return M{{windows_for(data.rows, options)}};
  }

  std::shared_ptr<const loaded_model> load(const saved_model&) const override {
    throw input_error("word vectors say nothing of rows; measure them with 'hogwild evaluate'");
  }

 private:
  saved_model save_model(const M&, const trained_parameters&) const override {
    throw config_error("the parameters of " + std::string(M::name) + " are saved as word vectors");
  }
};

}  // namespace hogwild::detail
