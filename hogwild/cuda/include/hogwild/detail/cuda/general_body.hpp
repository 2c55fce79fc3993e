// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/general_work.hpp>
#include <hogwild/detail/cuda/lanes.hpp>
#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/platform/device_code.hpp>

// How a warp trains rows of models that emit the partials of one row: as general_step, with entries dealt to lanes.

namespace hogwild::device {

/// The group of parameter j.
HOGWILD_DEVICE_CODE inline const work_group& group_of(const general_work& work, std::size_t j) {
  std::uint32_t k = 0;
  while (k + 1 < work.group_count && j >= work.groups[k].end) ++k;
  return work.groups[k];
}

/// Applies one partial derivative to its parameter, by the optimisers sgd and adagrad.
template <class Kind>
HOGWILD_DEVICE_CODE void descend(const typename Kind::weights_type& w, const typename Kind::weights_type& sums,
                                 std::size_t j, float g, float step) {
  if constexpr (Kind::adagrad) {
    constexpr float epsilon = 1e-8f;  // as for adagrad in optimizer.hpp
    const float square = g * g;
    const float sum = sums.read_add(j, square) + square;
    w.add(j, -step * g / std::sqrt(sum + epsilon));
  } else {
    w.add(j, -step * g);
  }
}

HOGWILD_DEVICE_CODE inline bool has_l2(const general_work& work) {
  return work.l2_rows > 0 || work.l2_each > 0;
}

/// The fraction of l2 for one occurrence of a column.
HOGWILD_DEVICE_CODE inline float l2_fraction(const general_work& work, std::uint32_t column) {
  return work.l2_each > 0 ? work.l2_each : static_cast<float>(work.l2_rows) / static_cast<float>(work.degree[column]);
}

/// Applies l2 to one parameter of a column that a row touches: by a division under sgd, as a partial of its own under
/// adagrad. On the CPU it joins the row's partials instead (row_l2.hpp); but then a row would have to remember which of
/// its parameters it has emitted, for which lanes have no room. Both end at the same optimum.
template <class Kind>
HOGWILD_DEVICE_CODE void shrink(const typename Kind::weights_type& w, const typename Kind::weights_type& sums,
                                std::size_t j, float fraction, float step) {
  const float x = w.load(j);
  if (x == 0.0f) return;
  if constexpr (Kind::adagrad) {
    descend<Kind>(w, sums, j, fraction * x, step);
  } else {
    const float by = step * fraction;
    w.add(j, -x * (by / (1.0f + by)));  // x / (1 + by) - x
  }
}

/// The first parameter that a column has in a group, or `no_parameter`.
inline constexpr std::uint64_t no_parameter = ~std::uint64_t{0};
HOGWILD_DEVICE_CODE inline std::uint64_t touched_by_l2(const work_group& group, std::uint32_t column) {
  if (!group.l2 || group.frozen || column < group.first_column) return no_parameter;
  const std::uint64_t at = group.begin + std::uint64_t{column - group.first_column} * group.width;
  return at < group.end ? at : no_parameter;
}

/// Trains rows of a model that has gradient() for lanes.
template <class Kind>
struct general_part {
  /// Trains rows part, part + parts, ... of the work, one after the other; returns how many changed something.
  template <class Warp, class M>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const general_work& work, const M& model,
                                                 std::uint64_t part, std::uint64_t parts) {
    using own_lanes = lanes<Warp>;
    using weights_type = typename Kind::weights_type;
    const weights_type w(work.weights), sums(work.sums);
    own_lanes at(warp);
    const lane_reader<own_lanes, weights_type> reader(at, w);
    std::uint64_t changed = 0;
    for (std::uint64_t i = part; i < work.count; i += parts) {
      const auto z = margin_row_of<Kind>(work, work.first + i);
      typename Warp::template each_lane<float> acted;
      warp.each([&](unsigned lane) {
        if (!at.begin(lane, z.size)) return;
        const auto apply = [&](std::size_t j, float g) {
          const work_group& group = group_of(work, j);
          if (group.frozen || z.weight == 0.0f) return;
          descend<Kind>(w, sums, j, z.weight * g * group.unit, group.step);
          acted[lane] = 1.0f;
        };
        model.gradient(reader, lane_row(at, z), lane_emit(at, apply));
      });
      bool change = warp.sum(acted) > 0.0f;
      if (has_l2(work)) {
        warp.settle();  // l2 applies to the weights after the row's change
        warp.deal(z.size, [&](unsigned, std::uint32_t k) {
          const std::uint32_t column = z.index[k];
          const float fraction = l2_fraction(work, column);
          for (std::uint32_t g = 0; g < work.group_count; ++g) {
            const std::uint64_t first = touched_by_l2(work.groups[g], column);
            if (first == no_parameter) continue;
            for (std::uint32_t f = 0; f < work.groups[g].width; ++f)
              shrink<Kind>(w, sums, first + f, fraction * work.groups[g].unit, work.groups[g].step);
          }
        });
        change = true;
      }
      if (!change) continue;
      ++changed;
      warp.settle();  // the next row reads what all lanes have added
    }
    return changed;
  }
};

}  // namespace hogwild::device
