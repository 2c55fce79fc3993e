// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/lane_step.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/row_lanes.hpp>
#include <hogwild/detail/task/lane_table.hpp>
#include <hogwild/detail/task/margin_loss.hpp>

// Scores of a few rows by models side by side: the loss, the label and the prediction for each row and lane.

namespace hogwild {

/// The stored parameters of all lanes, with so many columns, followed by the biases.
struct lane_parameters {
  const float* v;
  std::size_t columns;
};

/// For margin models, with w = scale[k] * v. Belongs to a thread.
template <class Index, class Value>
class margin_scorer {
 public:
  margin_scorer(const margin_loss& loss, const lane_table& table, const label_map& labels, const sparse_view& rows,
                const loop_options& options, lane_parameters from, std::span<const double> scale)
      : loss_(loss),
        labels_(table, labels, rows),
        rows_(rows),
        kernels_(lane_kernels_of<Index, Value>(options.dense_isa)),
        batch_(batch_on<Index, Value>(rows)),
        lanes_(table.lanes),
        v_(from.v),
        bias_(options.bias != 0 ? from.v + from.columns * table.lanes : no_biases.data()) {
    std::ranges::copy(scale.first(lanes_), scale_.begin());
    no_shrink_.fill(1.0);
  }

  /// At most batch_rows rows, which have passed ensure(). Predicts only if asked to.
  void operator()(std::span<const std::size_t> rows, bool predicts, float* score, float* label, double* loss) {
    take_rows(batch_, rows_, rows);
    kernels_.dots(v_, lanes_, batch_, score);
    for (std::size_t b = 0, at = 0; b < rows.size(); ++b, at += lanes_) {
      kernels_.margins(lanes_, scale_.data(), no_shrink_.data(), bias_, score + at, rounded_.data());
      for (std::size_t k = 0; !rows_.offset.empty() && k < lanes_; ++k) score[at + k] += rows_.offset[rows[b]];
      labels_(rows[b], label + at);
    }
    loss_.losses(rows.size() * lanes_, score, label, loss);
    for (std::size_t i = 0; predicts && i < rows.size() * lanes_; ++i) score[i] = loss_.prediction(score[i]);
  }

 private:
  margin_loss loss_;
  lane_labels labels_;
  const sparse_view& rows_;
  const lane_kernels<Index, Value>& kernels_;
  row_batch<Index, Value> batch_;
  std::size_t lanes_;
  const float *v_, *bias_;
  alignas(64) std::array<double, most_lanes> scale_{}, no_shrink_{};
  alignas(64) std::array<float, most_lanes> rounded_{};
};

/// For models that row kernels train, with their own predictions.
template <class M, class Index, class Value>
class row_scorer {
 public:
  row_scorer(const M& model, std::size_t lanes, const label_map& labels, const sparse_view& rows,
             const loop_options& options, lane_parameters from)
      : model_(model),
        labels_(labels),
        rows_(rows),
        kernels_(model, from.columns, lanes, options.isa),
        batch_(batch_on<Index, Value>(rows)),
        lanes_(lanes),
        w_(from.v),
        scores_(kernels_.scores() * lanes),
        of_lane_(kernels_.scores()) {}

  void operator()(std::span<const std::size_t> rows, bool, float* score, float* label, double* loss) {
    for (std::size_t b = 0, at = 0; b < rows.size(); ++b, at += lanes_) {
      take_rows(batch_, rows_, rows.subspan(b, 1));
      kernels_.score(w_, batch_, scores_.data());
      const float given = labels_.encode(rows_.label[rows[b]]);
      for (std::size_t k = 0; k < lanes_; ++k) {
        for (std::size_t c = 0; c < of_lane_.size(); ++c) of_lane_[c] = scores_[c * lanes_ + k];
        const row_score said = model_.measured(of_lane_.data(), given);
        score[at + k] = said.score, label[at + k] = given, loss[at + k] = said.loss;
      }
    }
  }

 private:
  M model_;
  const label_map& labels_;
  const sparse_view& rows_;
  row_lanes<M, Index, Value> kernels_;
  row_batch<Index, Value> batch_;
  std::size_t lanes_;
  const float* w_;
  std::vector<float> scores_, of_lane_;
};

}  // namespace hogwild
