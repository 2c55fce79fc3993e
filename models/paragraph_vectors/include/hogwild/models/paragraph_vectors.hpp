// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/words/window_formula.hpp>

namespace hogwild {

/// Vectors of documents, which predict their words (Le and Mikolov, Distributed representations of sentences and
/// documents, ICML 2014). An example is a document. The distributed bag of words has the loss of skip_gram, in which
/// the document's vector d takes the place of the neighbours of each word c:
///
///   loss = sum over c of [ -log sigma(d . b_c) - sum over drawn r of log sigma(-d . b_r) ],  sigma(x) = 1 / (1 + e^-x)
///
/// If words are trained, too, it is one neighbour more. The distributed memory has the loss of cbow, in which the
/// document's vector is one neighbour more, and counts in the mean as each other does.
struct paragraph_vectors : window_formula<paragraph_vectors> {
  static constexpr std::string_view name = "paragraph_vectors";
  using library_model = paragraph_vectors;
  static constexpr std::size_t epochs = 20;  ///< the default
  static constexpr training_defaults defaults{
      .step = 0.1, .schedule = schedule_kind::linear, .optimizer = optimizer_kind::sgd, .batch = 1};

  /// The steps of the distributed memory are so many times as long: a document has a part of the gradient only.
  static constexpr double step_of_memory = 2.0;

  bool memory = false;  ///< distributed memory instead of the bag of words

  std::vector<double> hyperparameters() const {
    std::vector<double> all = window_model::hyperparameters();
    all.insert(all.end(), {memory ? 1.0 : 0.0, neighbours ? 1.0 : 0.0});
    return all;
  }
  std::vector<parameter_group> groups() const {
    std::vector<parameter_group> all = window_model::groups();
    for (parameter_group& g : all) g.step_factor = memory ? step_of_memory : 1.0;
    return all;
  }

  /// Refuses rows that are none of the documents.
  void require_data(const sparse_view& rows, std::string_view source) const;

  window_rows inputs(window_space& s) const { return memory ? s.mean_of_contexts() : s.contexts(); }  ///< as of cbow
  void differentiate(window_space& s, window_rows inputs) const {
    s.differentiate(inputs, memory ? s.clear_mean_gradient() : s.context_gradients());
    if (memory) s.spread_mean_gradient();
  }
};

}  // namespace hogwild
