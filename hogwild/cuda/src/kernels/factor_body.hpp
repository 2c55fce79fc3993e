// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/cuda/weights.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "factor_rows.hpp"

// What a warp does to ratings: what factor_kernels does (detail/kernels/factor_kernels.hpp), with sums over the row in
// another order. Lanes have the columns of both rows, the first two of them the biases and sums of squares as well. A
// lane changes nothing that another lane of its warp reads, so that from rating to rating they need not meet.

namespace hogwild::device {

/// What the code is compiled for; all else is known when it runs.
template <std::uint32_t Width, bool RowAdagrad, update_kind Update, memory_scope Scope>
struct factor_kind {
  using weights_type = weights<Update, Scope>;
  static constexpr std::uint32_t width = Width;  ///< 0: any
  /// Floats of a row that a lane keeps; 0: it reads the row again.
  static constexpr unsigned pieces = (Width + warp_width - 1) / warp_width;
  static constexpr bool row_adagrad = RowAdagrad;
};

/// Calls f(factor_kind<...>{}) with what suits the work. The usual widths have code of their own under sgd; row_adagrad
/// would need more registers for what it keeps. Throws std::invalid_argument for locked updates.
template <class F>
void with_factor_kind(const factor_work& work, const F& f) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device adds without locks");
  const auto with = [](bool condition, const auto& g) { condition ? g(std::true_type{}) : g(std::false_type{}); };
  const auto with_width = [&]<std::uint32_t Width, bool RowAdagrad>() {
    with(work.update == update_kind::exact, [&](auto exact) {
      with(work.system_scope, [&](auto system) {
        f(factor_kind < Width, RowAdagrad, decltype(exact)::value ? update_kind::exact : update_kind::lossy,
          decltype(system)::value ? memory_scope::system : memory_scope::device > {});
      });
    });
  };
  if (work.sums != nullptr) return with_width.template operator()<0, true>();
  switch (work.width) {
    case 16:
      return with_width.template operator()<16, false>();
    case 32:
      return with_width.template operator()<32, false>();
    case 64:
      return with_width.template operator()<64, false>();
    case 128:
      return with_width.template operator()<128, false>();
    default:
      return with_width.template operator()<0, false>();
  }
}

/// A row of factors as a warp has read it.
template <class Warp, class Weights, unsigned Pieces>
class factor_row {
 public:
  HOGWILD_DEVICE_CODE explicit factor_row(float* row) : row_(row) {}

  /// Reads the columns that are kept: nothing here waits for what was read.
  HOGWILD_DEVICE_CODE void read(const Warp& warp, std::uint32_t width) {
    if constexpr (Pieces > 0)
      warp.template deal_pieces<Pieces>(
          width, [&](unsigned lane, unsigned piece, std::uint32_t k) { kept_[piece][lane] = row_.load(k); });
  }
  HOGWILD_DEVICE_CODE float value(unsigned lane, unsigned piece, std::uint32_t k) {
    if constexpr (Pieces > 0) return kept_[piece][lane];
    return row_.load(k);
  }
  HOGWILD_DEVICE_CODE void add_to(std::uint32_t k, float seen, float delta) const { row_.add_to(k, seen, delta); }

 private:
  Weights row_;
  typename Warp::template each_lane<float> kept_[Pieces > 0 ? Pieces : 1];
};

/// What a rating adds to the gradient of its row of this column, as a multiple of the row.
HOGWILD_DEVICE_CODE inline float factor_l2(const factor_work& work, std::uint64_t column) {
  if (work.degree == nullptr) return work.l2;
  const float part = work.l2_rows / static_cast<float>(work.degree[column]);
  return part / (1.0f + work.epoch_step * part);
}

template <class Kind, class Warp>
HOGWILD_DEVICE_CODE void train_rating(const Warp& warp, const factor_work& work, const rating& r) {
  using weights_type = typename Kind::weights_type;
  using lane_numbers = typename Warp::template each_lane<float>;
  const std::uint32_t width = Kind::width > 0 ? Kind::width : work.width;
  const std::uint64_t user = r.user, item = work.users + r.item, bias_at = work.columns * width;
  const weights_type w(work.weights), sums(work.sums);
  const auto each_column = [&](const auto& f) {  // f(lane, its column)
    warp.deal(2, [&](unsigned lane, std::uint32_t k) { f(lane, k == 0 ? user : item); });
  };

  factor_row<Warp, weights_type, Kind::pieces> p(work.weights + user * width), q(work.weights + item * width);
  p.read(warp, width);
  q.read(warp, width);
  lane_numbers part, bias;
  warp.template deal_pieces<Kind::pieces>(width, [&](unsigned lane, unsigned piece, std::uint32_t k) {
    part[lane] += p.value(lane, piece, k) * q.value(lane, piece, k);
  });
  if (work.bias) {
    each_column([&](unsigned lane, std::uint64_t column) {
      bias[lane] = w.load(bias_at + column);
      part[lane] += bias[lane];
    });
  }
  const float error = warp.sum(part) + (work.mean - r.value);
  const float user_l2 = factor_l2(work, user), item_l2 = factor_l2(work, item);

  float user_step = work.step, item_step = work.step;
  constexpr float epsilon = 1e-8f;  // as row_adagrad's in factor_step
  if constexpr (Kind::row_adagrad) {
    lane_numbers user_squares, item_squares, steps;
    warp.template deal_pieces<Kind::pieces>(width, [&](unsigned lane, unsigned piece, std::uint32_t k) {
      const float x = p.value(lane, piece, k), y = q.value(lane, piece, k);
      const float of_x = error * y + user_l2 * x, of_y = error * x + item_l2 * y;
      user_squares[lane] += of_x * of_x;
      item_squares[lane] += of_y * of_y;
    });
    const float of_user = warp.sum(user_squares), of_item = warp.sum(item_squares);
    each_column([&](unsigned lane, std::uint64_t column) {
      const float square = (column == user ? of_user : of_item) / static_cast<float>(width);
      const float sum = sums.read_add(column * width, square) + square;
      steps[lane] = work.step / std::sqrt(sum + epsilon);
    });
    user_step = warp.from(0, steps);
    item_step = warp.from(1, steps);
  }

  warp.template deal_pieces<Kind::pieces>(width, [&](unsigned lane, unsigned piece, std::uint32_t k) {
    const float x = p.value(lane, piece, k), y = q.value(lane, piece, k);
    p.add_to(k, x, -user_step * (error * y + user_l2 * x));
    q.add_to(k, y, -item_step * (error * x + item_l2 * y));
  });
  if (!work.bias) return;
  each_column([&](unsigned lane, std::uint64_t column) {
    const float slope = error + (column == user ? user_l2 : item_l2) * bias[lane];
    float step = work.step;
    if constexpr (Kind::row_adagrad) {
      const float square = slope * slope;
      step /= std::sqrt(sums.read_add(bias_at + column, square) + square + epsilon);
    }
    w.add_to(bias_at + column, bias[lane], -step * slope);
  });
}

/// What a kernel of this kind does. There is no model besides what the work says.
template <class Kind>
struct factor_part {
  struct no_model {};
  static constexpr unsigned least_warps = 64;

  /// Trains ratings part, part + parts, ... of the work, one after the other; returns how many.
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const factor_work& work, no_model,
                                                 std::uint64_t part, std::uint64_t parts) {
    for (std::uint64_t i = part; i < work.count; i += parts)
      train_rating<Kind>(warp, work, work.ratings[work.first + i]);
    return part < work.count ? (work.count - part - 1) / parts + 1 : 0;
  }
};

}  // namespace hogwild::device
