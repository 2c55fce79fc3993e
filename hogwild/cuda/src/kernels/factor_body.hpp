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
#include "factor_storage.hpp"

// How a warp trains ratings: as factor_kernels (detail/kernels/factor_kernels.hpp), with sums over the row in another
// order. Lanes have the columns of both rows, the first two lanes the biases and sums of squares as well. No lane
// changes anything that another lane of its warp reads, so that they need not synchronise between ratings.

namespace hogwild::device {

/// The compile-time parameters of the code; all else is known at run time.
template <std::uint32_t Width, bool RowAdagrad, update_kind Update, memory_scope Scope,
          class Factors = single_factors<Update, Scope>>
struct factor_kind {
  using weights_type = weights<Update, Scope>;  ///< for biases and sums
  using factors_type = Factors;
  static constexpr std::uint32_t width = Width;  ///< 0: any
  /// Words of a row that a lane keeps in registers; 0: it reads the row again.
  static constexpr unsigned pieces = (Width / Factors::together + warp_width - 1) / warp_width;
  static constexpr bool row_adagrad = RowAdagrad;
};

/// Calls f.operator()<width>() with a usual width, or 0 for any.
template <class F>
void with_factor_width(std::uint32_t width, const F& f) {
  switch (width) {
    case 16:
      return f.template operator()<16>();
    case 32:
      return f.template operator()<32>();
    case 64:
      return f.template operator()<64>();
    case 128:
      return f.template operator()<128>();
    default:
      return f.template operator()<0>();
  }
}

/// Calls f(factor_kind<...>{}) for the work. The usual widths are compiled separately under sgd; row_adagrad would need
/// more registers. Throws std::invalid_argument for locked updates and for halves.
template <class F>
void with_factor_kind(const factor_work& work, const F& f) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device adds without locks");
  if (work.halves != nullptr) throw std::invalid_argument("factors in half storage have kernels of their own");
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
  with_factor_width(work.width, [&]<std::uint32_t Width>() { with_width.template operator()<Width, false>(); });
}

/// The same for factors in half storage. Throws std::invalid_argument if they cannot be trained.
template <class F>
void with_half_factor_kind(const factor_work& work, const F& f) {
  if (work.update != update_kind::lossy || work.sums != nullptr || work.system_scope || work.width % 2 != 0)
    throw std::invalid_argument(
        "factors in half storage are trained two at a time by lossy sgd, in the device's own memory");
  with_factor_width(work.width, [&]<std::uint32_t Width>() {
    f(factor_kind<Width, false, update_kind::lossy, memory_scope::device, half_factors>{});
  });
}

/// A row of factors that a warp has read.
template <class Warp, class Factors, unsigned Pieces>
class factor_row {
 public:
  using word = typename Factors::word;

  HOGWILD_DEVICE_CODE explicit factor_row(const Factors& row) : row_(row) {}

  /// Reads the words that are kept, without waiting for them.
  HOGWILD_DEVICE_CODE void read(const Warp& warp, std::uint32_t words) {
    if constexpr (Pieces > 0)
      warp.template deal_pieces<Pieces>(
          words, [&](unsigned lane, unsigned piece, std::uint32_t k) { kept_[piece][lane] = row_.load(k); });
  }
  HOGWILD_DEVICE_CODE word value(unsigned lane, unsigned piece, std::uint32_t k) {
    if constexpr (Pieces > 0) return kept_[piece][lane];
    return row_.load(k);
  }
  HOGWILD_DEVICE_CODE void add_to(std::uint32_t k, word seen, const float (&delta)[Factors::together]) const {
    row_.add_to(k, seen, delta);
  }

 private:
  Factors row_;
  typename Warp::template each_lane<word> kept_[Pieces > 0 ? Pieces : 1];
};

/// The factor of the row that a rating adds to the gradient of this column's row.
HOGWILD_DEVICE_CODE inline float factor_l2(const factor_work& work, std::uint64_t column) {
  if (work.degree == nullptr) return work.l2;
  const float part = work.l2_rows / static_cast<float>(work.degree[column]);
  return part / (1.0f + work.epoch_step * part);
}

template <class Kind, class Warp>
HOGWILD_DEVICE_CODE void train_rating(const Warp& warp, const factor_work& work, const rating& r) {
  using weights_type = typename Kind::weights_type;
  using factors = typename Kind::factors_type;
  using row = factor_row<Warp, factors, Kind::pieces>;
  using word = typename row::word;
  using lane_numbers = typename Warp::template each_lane<float>;
  constexpr unsigned together = factors::together;
  const std::uint32_t width = Kind::width > 0 ? Kind::width : work.width, words = width / together;
  const std::uint64_t user = r.user, item = work.users + r.item, bias_at = work.columns * width;
  const weights_type w(work.weights), sums(work.sums);
  const auto each_column = [&](const auto& f) {  // f(lane, its column)
    warp.deal(2, [&](unsigned lane, std::uint32_t k) { f(lane, k == 0 ? user : item); });
  };

  row p(factors(work, user * width)), q(factors(work, item * width));
  p.read(warp, words);
  q.read(warp, words);
  lane_numbers part, bias;
  warp.template deal_pieces<Kind::pieces>(words, [&](unsigned lane, unsigned piece, std::uint32_t k) {
    const word of_p = p.value(lane, piece, k), of_q = q.value(lane, piece, k);
    for (unsigned i = 0; i < together; ++i) part[lane] += factors::number(of_p, i) * factors::number(of_q, i);
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
  constexpr float epsilon = 1e-8f;  // as for row_adagrad in factor_step
  if constexpr (Kind::row_adagrad) {
    lane_numbers user_squares, item_squares, steps;
    warp.template deal_pieces<Kind::pieces>(words, [&](unsigned lane, unsigned piece, std::uint32_t k) {
      static_assert(together == 1);
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

  warp.template deal_pieces<Kind::pieces>(words, [&](unsigned lane, unsigned piece, std::uint32_t k) {
    const word of_p = p.value(lane, piece, k), of_q = q.value(lane, piece, k);
    float to_p[together], to_q[together];
    for (unsigned i = 0; i < together; ++i) {
      const float x = factors::number(of_p, i), y = factors::number(of_q, i);
      to_p[i] = -user_step * (error * y + user_l2 * x);
      to_q[i] = -item_step * (error * x + item_l2 * y);
    }
    p.add_to(k, of_p, to_p);
    q.add_to(k, of_q, to_q);
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

/// The body of a kernel of this kind. The work describes the whole model.
template <class Kind>
struct factor_part {
  struct no_model {};
  // A loop over any number of words of two needs more registers.
  static constexpr unsigned least_warps = Kind::width == 0 && Kind::factors_type::together > 1 ? 48 : 64;

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
