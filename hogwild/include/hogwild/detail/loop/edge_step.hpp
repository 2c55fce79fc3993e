// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/edge_groups.hpp>
#include <hogwild/detail/loop/step.hpp>

namespace hogwild {

/// Two-way cuts under sgd, by kernels on arrays that a sharing policy hands out whole: the worker's own, or shared ones
/// on which lost updates are allowed. The edges of a window are taken in the order of their groups.
template <class Sharing>
class edge_step : public Sharing {
 public:
  /// Rows between two progress reports.
  static constexpr std::size_t most_rows = 16 * edge_groups::window;

  /// Counts capacities in units of `unit`. All arguments outlive the step.
  edge_step(const Sharing& sharing, const step_context& context, const sparse_view& data, const edge_groups& groups,
            std::size_t nodes, float unit)
      : Sharing(sharing),
        context_(context),
        data_(data),
        groups_(groups),
        kernels_(cut_kernels_of(context.options.isa)),
        unit_(unit) {
    to_.nodes = static_cast<std::uint32_t>(nodes);
  }

  void begin(const round_plan& round, double position) {
    to_.at = Sharing::values().data();
    to_.step = static_cast<float>(context_.step_at(round, position) / (2.0 * static_cast<double>(unit_)));
  }

  /// Replicas exchange between windows.
  std::size_t rows_to_exchange() const {
    const std::size_t windows = Sharing::rows_to_exchange() / edge_groups::window;
    return std::max<std::size_t>(windows, 1) * edge_groups::window;
  }

  /// Rows [first, first + count) of one chunk: whole windows, except that the chunk's end may cut the last one short.
  batch_outcome train_run(std::size_t first, std::size_t count) {
    const std::size_t window = groups_.window_of(first), last = groups_.window_of(first + count - 1) + 1;
    kernels_.train(to_, groups_.edges(), groups_.windows[window], groups_.windows[last]);
    return {.updates = count, .nonzeros = data_.row_start[first + count] - data_.row_start[first]};
  }

 private:
  step_context context_;
  const sparse_view& data_;
  const edge_groups& groups_;
  const cut_kernels& kernels_;
  float unit_;
  cut_points to_{};
};

}  // namespace hogwild
