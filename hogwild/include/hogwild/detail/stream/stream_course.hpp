// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hogwild/detail/run/run_course.hpp>

namespace hogwild {

/// The losses of some rows.
struct trial_loss {
  double mean, spread;  ///< the spread as run_course::ended_worse() takes it
};

/// What a stream was like each time that it was assessed: how its last rows' loss compared with the loss that an
/// untrained model has on them. A stream that was good may be worse for a while because its rows have changed: then
/// only a huge loss is a blow-up. It is assessed whenever its caller asks and, to know whether it was good, also in
/// between.
class stream_course {
 public:
  static constexpr std::uint64_t rows_to_assess = 1024;  ///< the last ones

  /// `trained`: the stream begins with parameters that may be good.
  void begin(bool trained) { was_good_ = trained; }
  /// Whether the stream must be assessed after `rows` rows: at first, then as often as they double.
  bool is_due(std::uint64_t rows) const { return rows >= next_; }
  void assess(std::uint64_t rows) { next_ = std::bit_floor(std::max(rows, rows_to_assess / 2)) * 2; }

  /// Whether a stream that was good has a loss no larger than an untrained model ever had: it has not diverged.
  bool is_good_still(double trained) const { return was_good_ && trained <= least_; }
  /// Whether the stream has diverged.
  bool take(const trial_loss& trained, const trial_loss& untrained) {
    least_ = std::fmin(least_, untrained.mean);
    largest_ = std::fmax(largest_, std::abs(untrained.mean));
    if (!std::isfinite(trained.mean)) return true;
    const bool worse = run_course{.start = untrained.mean}.ended_worse(trained.mean, trained.spread);
    const bool diverged = worse && (!was_good_ || trained.mean - untrained.mean > huge * largest_);
    was_good_ = was_good_ || !worse;
    return diverged;
  }

 private:
  /// If all labels change their sign, a squared loss becomes about four times as large, and the loss of a margin about
  /// as many times as the usual margin is. The untrained loss is the largest so far: where all labels are equal it is
  /// 0.
  static constexpr double huge = 100.0;

  bool was_good_ = false;  ///< it was once no worse than an untrained model, or may have been
  std::uint64_t next_ = 0;
  double least_ = std::numeric_limits<double>::quiet_NaN();  ///< the losses of untrained models; not known
  double largest_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace hogwild
