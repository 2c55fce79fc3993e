// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/task/loss_bound.hpp>

namespace hogwild {

class agreement;
class thread_team;

/// A linear_class_model whose type is not known, like margin_loss. Refers to the model, which must outlive it.
class linear_classes {
 public:
  template <linear_class_model M>
  explicit linear_classes(const M& m)
      : features(m.features),
        classes(m.classes),
        bias(m.bias),
        model_(&m),
        respond_([](const void* p, std::size_t n, float* scores, const std::span<const std::uint32_t>* given,
                    double* losses) {
          const M& model = *static_cast<const M*>(p);
          for (std::size_t i = 0; i < n; ++i, scores += model.classes) {
            losses[i] = model.measured(scores, given[i]).loss;
            // A row without classes may have no derivatives, and then keeps its scores.
            if (!model.derive(scores, given[i])) std::fill_n(scores, model.classes, 0.0f);
          }
        }) {
    if (m.one_vs_rest) of_each.emplace(M::loss_of_each);
  }

  std::size_t features, classes;
  bool bias;
  std::optional<margin_loss> of_each{};  ///< the loss of one class's score, if a row's loss is the sum of these

  class_arrays arrays_in(float* w) const {
    return {.weights = w, .bias = bias ? w + features * classes : nullptr, .classes = classes};
  }
  /// For n rows with these classes, whose scores lie one row after the other: gives their losses, and replaces the
  /// scores by the derivatives of the losses with respect to them.
  void respond(std::size_t n, float* scores, const std::span<const std::uint32_t>* given, double* losses) const {
    respond_(model_, n, scores, given, losses);
  }

  /// Linear bounds of the mean loss. If constants may change, the rows' tangents are those at the best constants for
  /// these weights, mixed with one distribution for all rows in the proportion that makes the slopes with respect to
  /// the constants 0. Keeps the scores of all rows and classes, a float each. Over all ranks, like
  /// coordinator_side::bound().
  std::optional<loss_bound> bound(const sparse_view& rows, const label_map& labels, std::span<const float> parameters,
                                  bool fixed_constants, thread_team& threads, const agreement& ranks,
                                  const std::stop_token& stop) const;
  /// Whether these scores take no more than 1 GiB.
  bool bounded(std::size_t rows) const { return rows * classes <= (std::size_t{1} << 28); }

 private:
  const void* model_;
  void (*respond_)(const void*, std::size_t, float*, const std::span<const std::uint32_t>*, double*);
};

}  // namespace hogwild
