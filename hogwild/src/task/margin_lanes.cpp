// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/margin_task.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/lane_state.hpp>
#include <hogwild/detail/loop/lane_step.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/sharing/untrained.hpp>

namespace hogwild {

namespace {

template <class Index, class Value>
class margin_lane_scorer {
 public:
  margin_lane_scorer(const margin_loss& loss, const training_task& lanes, const lane_table& table,
                     const sparse_view& rows, const float* v, std::span<const double> scale)
      : loss_(loss),
        labels_(table, lanes.labels(), rows),
        rows_(rows),
        kernels_(lane_kernels_of<Index, Value>(lanes.options().dense_isa)),
        batch_(batch_on<Index, Value>(rows)),
        lanes_(table.lanes),
        v_(v),
        bias_(lanes.options().bias != 0 ? v + lanes.data().columns * table.lanes : no_biases.data()) {
    std::ranges::copy(scale.first(lanes_), scale_.begin());
    no_shrink_.fill(1.0);
  }

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

}  // namespace

lane_scorer margin_task::scorer(const training_task& lanes, const lane_table& table, const sparse_view& rows,
                                const float* v, std::span<const double> scale) const {
  lane_scorer made;
  with_row_types(rows, [&]<class Index, class Value>() {
    made = margin_lane_scorer<Index, Value>(loss_, lanes, table, rows, v, scale);
  });
  return made;
}

void margin_task::train_lanes(const worker_context& at, const step_context& context, const training_task& lanes,
                              const lane_table& table) const {
  const sparse_view& data = lanes.data();
  const auto train = [&]<class Sharing>(const Sharing& sharing) {
    const auto loop = [&](auto&& step) { worker_loop(at.store, at.slot, data, at.plan.chunks, at.plan.options, step); };
    if constexpr (Sharing::traits.whole_arrays) {
      if (Sharing::traits.gathers && at.plan.options.proximal())
        throw_untrained(facts_.model, at.plan.options);  // refused beforehand: sync_plan.cpp
      with_row_types(data, [&]<class Index, class Value>() {
        loop(lane_batch_step<Sharing, Index, Value>(sharing, loss_, table, context, data));
      });
    } else {
      loop(lane_row_step(sharing, loss_, table, context, data));
    }
  };
  const std::size_t first_singleton = by_chunks(at.plan.options.order) ? data.first_singleton : data.columns;
  with_sharing<float, sharing_choices::whole>(at, lanes.facts().groups, data.columns, first_singleton, train);
}

}  // namespace hogwild
