// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwildpp/detail/delta_message.hpp>

// The length of messages for models whose positions are trained as often as words occur in texts.

using namespace hogwild;

namespace {

/// Adds gains to positions drawn by Zipf's law, P(position < r) = log(r + 1) / log(d + 1).
class zipf_trainer {
 public:
  explicit zipf_trainer(std::size_t coordinates)
      : gains(coordinates), log_(std::log2(static_cast<double>(coordinates + 1))) {}

  /// Trains until so many positions are not zero; there must be fewer at first. Returns the number of draws.
  std::size_t train_until(std::size_t touched) {
    std::size_t draws = 0;
    for (std::size_t fresh = 0; fresh < touched; ++draws) fresh += train() ? 1 : 0;
    return draws;
  }

  /// Returns whether the drawn position was zero.
  bool train() {
    const auto position = static_cast<std::size_t>(std::exp2(random_.uniform(counter_++) * log_)) - 1;
    const bool fresh = gains[position] == 0;
    gains[position] += static_cast<float>(1e-3 * (random_.uniform(counter_++) - 0.5));
    return fresh;
  }

  /// Bytes of a message about the first `end`, which are then sent.
  std::size_t send(std::size_t end, delta_values values) {
    delta_encoder<float> out(message_, {.values = values, .coordinates = gains.size(), .rows = {1, 2, 3, 4}});
    std::vector<float> sent;
    for (std::size_t j = 0; j < end; j += 4096) {
      const auto piece = std::span(gains).subspan(j, std::min<std::size_t>(4096, end - j));
      sent.assign(piece.begin(), piece.end());
      if (out.encode(j, sent) == 0) continue;
      for (std::size_t i = 0; i < piece.size(); ++i) piece[i] -= sent[i];
    }
    out.finish();
    return message_.size();
  }

  std::vector<float> gains;

 private:
  double log_;
  counter_random random_{1, 2};
  std::uint64_t counter_ = 0;
  std::vector<std::byte> message_;
};

TEST(delta_size, of_a_hundredth_touched_is_far_below_dense) {
  constexpr std::size_t d = 16'000'000, dense = d * sizeof(float);
  zipf_trainer trainer(d);
  trainer.train_until(d / 100);
  const std::vector<float> gains = trainer.gains;
  const std::size_t stored = trainer.send(d, delta_values::as_stored);
  trainer.gains = gains;
  const std::size_t halves = trainer.send(d, delta_values::as_half);
  RecordProperty("stored", std::to_string(stored));
  RecordProperty("halves", std::to_string(halves));
  EXPECT_LE(stored, dense * 3 / 100);
  EXPECT_LE(stored, dense * 14 / 1000);  // 1.28 %: 5.1 bytes a value
  EXPECT_LE(halves, dense * 9 / 1000);   // 0.84 %: 3.3
  EXPECT_GE(halves, d / 100 * 2);
}

// Over all marks of the ruler, with as many draws between two exchanges as touch a hundredth.
TEST(delta_size, is_smaller_still_by_the_ruler) {
  constexpr std::size_t d = std::size_t{1} << 18, turns = d / shortest_prefix, some = 20;
  for (const delta_values values : {delta_values::as_stored, delta_values::as_half}) {
    zipf_trainer by_ruler(d), whole(d);
    const std::size_t draws = zipf_trainer(d).train_until(d / 100);
    std::size_t ruler_bytes = 0, whole_bytes = 0;
    for (std::size_t turn = 1; turn <= turns; ++turn) {
      for (std::size_t i = 0; i < draws; ++i) by_ruler.train();
      ruler_bytes += by_ruler.send(std::min(d, ruler_prefix(turn)), values);
    }
    for (std::size_t turn = 1; turn <= some; ++turn) {
      for (std::size_t i = 0; i < draws; ++i) whole.train();
      whole_bytes += whole.send(d, values);
    }
    const double by_ruler_mean = static_cast<double>(ruler_bytes) / turns;
    const double whole_mean = static_cast<double>(whole_bytes) / some;
    RecordProperty(values == delta_values::as_half ? "halves" : "stored", std::to_string(by_ruler_mean / whole_mean));
    EXPECT_LT(by_ruler_mean, 0.6 * whole_mean) << by_ruler_mean << " " << whole_mean;
  }
}

}  // namespace
