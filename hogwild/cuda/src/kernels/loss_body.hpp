// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/models/score_loss.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "fm_body.hpp"
#include "loss_rows.hpp"
#include "softmax_body.hpp"
#include "window_body.hpp"

// How a warp measures rows: as the tasks' evaluate(), with sums over the row in another order. There is one kernel for
// each family of models: it checks the width of entries for each row.

namespace hogwild::device {

/// Parameters that nobody writes meanwhile.
class still_weights {
 public:
  HOGWILD_DEVICE_CODE explicit still_weights(const float* data) : data_(data) {}
  HOGWILD_DEVICE_CODE float load(std::size_t j) const { return data_[j]; }

 private:
  const float* data_;
};

/// A kind for measuring, with the interface of the kinds for training.
struct measuring_kind {
  using weights_type = still_weights;
  static constexpr bool adagrad = false;
};

/// A row of any width.
struct any_row {
  struct columns {
    const std::uint32_t* wide;
    const std::uint16_t* narrow;
    std::uint64_t begin;
    HOGWILD_DEVICE_CODE std::uint32_t operator[](std::uint32_t k) const {
      return narrow != nullptr ? narrow[begin + k] : wide[begin + k];
    }
  };
  struct values {
    const float* wide;
    const half* narrow;
    std::uint64_t begin;
    HOGWILD_DEVICE_CODE float operator[](std::uint32_t k) const {
      return narrow != nullptr ? widened(narrow[begin + k]) : wide[begin + k];
    }
  };

  HOGWILD_DEVICE_CODE any_row(const margin_work& work, std::uint64_t r) {
    const std::uint64_t begin = work.start32 != nullptr ? work.start32[r] : work.start64[r];
    const std::uint64_t end = work.start32 != nullptr ? work.start32[r + 1] : work.start64[r + 1];
    index = {work.index32, work.index16, begin};
    value = {work.value, work.value16, begin};
    size = static_cast<std::uint32_t>(end - begin);
  }

  columns index;
  values value;
  std::uint32_t size;
};

HOGWILD_DEVICE_CODE inline double weight_of(const margin_work& work, std::uint64_t r) {
  return work.weight != nullptr ? static_cast<double>(work.weight[r]) : 1.0;
}

/// Each of these has look(), which a warp runs together for one row, with the result in all lanes, and loss(), which a
/// lane computes from that for a row of its own. The warp's number selects memory of its own.
struct margin_measure {
  template <class Warp, class Loss>
  HOGWILD_DEVICE_CODE static float look(const Warp& warp, const margin_work& work, const Loss&, std::uint64_t r,
                                        std::uint64_t /*number*/) {
    return margin_of(warp, work, still_weights(work.weights), any_row(work, r), static_cast<float>(work.scale));
  }
  template <class Loss>
  HOGWILD_DEVICE_CODE static double loss(const margin_work& work, const Loss& model, std::uint64_t r, float margin) {
    return weight_of(work, r) * model.loss(work.offset != nullptr ? margin + work.offset[r] : margin, work.label[r]);
  }
};

struct softmax_measure {
  using part = softmax_part<measuring_kind>;
  /// The logarithm of the sum of exponentials of the scores, minus the label's score.
  template <class Warp>
  HOGWILD_DEVICE_CODE static double look(const Warp& warp, const general_work& work, const softmax_shape& model,
                                         std::uint64_t r, std::uint64_t /*number*/) {
    typename part::template numbers<Warp> p[part::slots], own;
    part::add_scores(warp, model, still_weights(work.weights), any_row(work, r), p);
    const float top = part::largest(warp, model, p);  // so that nothing overflows
    const auto label = static_cast<std::uint32_t>(work.label[r]);
    typename Warp::template each_lane<double> sum;
    part::each_class(warp, model, [&](unsigned lane, std::uint32_t s, std::uint32_t k) {
      sum[lane] += std::exp(static_cast<double>(p[s][lane] - top));
      if (k == label) own[lane] = p[s][lane];
    });
    return static_cast<double>(top) + std::log(warp.sum(sum)) - static_cast<double>(warp.sum(own));
  }
  HOGWILD_DEVICE_CODE static double loss(const general_work& work, const softmax_shape&, std::uint64_t r,
                                         double looked) {
    return weight_of(work, r) * looked;
  }
};

struct fm_measure {
  using part = fm_part<measuring_kind>;
  template <class Warp>
  HOGWILD_DEVICE_CODE static float look(const Warp& warp, const general_work& work, const fm_shape& model,
                                        std::uint64_t r, std::uint64_t /*number*/) {
    typename part::template numbers<Warp> sum[part::slots];
    return part::look(warp, model, still_weights(work.weights), any_row(work, r), sum);
  }
  HOGWILD_DEVICE_CODE static double loss(const general_work& work, const fm_shape& model, std::uint64_t r,
                                         float score) {
    return weight_of(work, r) * score_loss(model.labels, model.scale, score, work.label[r]);
  }
};

struct factor_measure {
  struct no_model {};
  /// The score's error.
  template <class Warp>
  HOGWILD_DEVICE_CODE static float look(const Warp& warp, const factor_work& work, no_model, std::uint64_t r,
                                        std::uint64_t /*number*/) {
    const rating& one = work.ratings[r];
    const std::uint64_t user = one.user, item = work.users + one.item, biases = work.columns * work.width;
    const still_weights w(work.weights);
    typename Warp::template each_lane<float> part;
    warp.deal(work.width, [&](unsigned lane, std::uint32_t k) {
      part[lane] += w.load(user * work.width + k) * w.load(item * work.width + k);
    });
    if (work.bias)
      warp.deal(2, [&](unsigned lane, std::uint32_t k) { part[lane] += w.load(biases + (k == 0 ? user : item)); });
    return warp.sum(part) + (work.mean - one.value);
  }
  HOGWILD_DEVICE_CODE static double loss(const factor_work&, no_model, std::uint64_t, float error) {
    return 0.5 * static_cast<double>(error) * static_cast<double>(error);
  }
};

struct window_measure {
  struct no_model {};
  static constexpr unsigned least_warps = 32;  // as for training
  template <class Warp>
  HOGWILD_DEVICE_CODE static double look(const Warp& warp, const window_work& work, no_model, std::uint64_t r,
                                         std::uint64_t number) {
    const double lost = sentence_walk<measuring_kind, Warp>(warp, work, number, r).loss();
    warp.settle();  // the next row overwrites these words
    return lost;
  }
  HOGWILD_DEVICE_CODE static double loss(const window_work&, no_model, std::uint64_t, double looked) { return looked; }
};

/// The body of a kernel that measures: it uses only the rows of the training work. Its Measure may say how many warps
/// it needs at least.
template <class Measure>
struct loss_part : Measure {
  /// Adds up the sums part, part + parts, ... of the work. No row changes anything.
  template <class Warp, class Work, class Model>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const loss_work<Work>& work, const Model& model,
                                                 std::uint64_t part, std::uint64_t parts) {
    using looked_type = decltype(Measure::look(warp, work, model, 0, 0));
    for (std::uint64_t i = part; i * rows_of_a_sum < work.count; i += parts) {
      const std::uint64_t first = work.first + i * rows_of_a_sum, left = work.count - i * rows_of_a_sum;
      const auto rows = static_cast<unsigned>(left < rows_of_a_sum ? left : rows_of_a_sum);
      typename Warp::template each_lane<looked_type> looked;
      for (unsigned k = 0; k < rows; ++k) {
        const looked_type found = Measure::look(warp, work, model, first + k, part);
        warp.each([&](unsigned lane) {
          if (lane == k) looked[lane] = found;
        });
      }
      typename Warp::template each_lane<double> losses;
      warp.each([&](unsigned lane) {
        if (lane < rows) losses[lane] = Measure::loss(work, model, first + lane, looked[lane]);
      });
      const double sum = warp.sum(losses);
      warp.first([&](unsigned) { work.loss_sums[i] = sum; });
    }
    return 0;
  }
};

static_assert(rows_of_a_sum == warp_width, "a lane has the loss of one row");

}  // namespace hogwild::device
