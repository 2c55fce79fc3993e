// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

// The common part of models of the nodes of a graph. They are saved as word vectors, not as a model of rows.

namespace hogwild::detail {

/// The value of an option, or `otherwise`. Throws config_error if it is out of range.
std::size_t count_within(const model_options& options, std::string_view model, const char* option, std::size_t least,
                         std::size_t most, std::size_t otherwise);

template <class M>
class node_descriptor final : public descriptor_for<M> {
 public:
  using made_by = M(const model_options&);

  /// `make` throws config_error for options out of range.
  node_descriptor(model_facts facts, made_by* make) : descriptor_for<M>(std::move(facts)), make_(make) {}

  void check(const model_options& options) const override { make_(options); }

  named_model make(const model_data& data, const model_options& options) const override {
    M m = make_(options);
    m.words = data.features();
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model&) const override {
    throw input_error("vectors of nodes say nothing of rows");
  }

 private:
  saved_model save_model(const M&, const trained_parameters&) const override {
    throw config_error("the parameters of " + std::string(M::name) + " are saved as word vectors");
  }

  made_by* make_;
};

}  // namespace hogwild::detail
