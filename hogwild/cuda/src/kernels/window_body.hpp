// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/cuda/weights.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/platform/device_code.hpp>

#include "window_rows.hpp"

// How a warp trains sentences: as window_space and skip_gram, with the same words left out and drawn. Each lane has
// some columns of all vectors, both of the parameters and of the warp's own memory, so that only words and slopes pass
// from lane to lane. An input is read when the window reaches its word and added to when the window has left it; an
// output is read and added to for each window. There are no other accesses to the parameters.

namespace hogwild::device {

/// Calls f(margin_kind<...>{}) for the work. Throws std::invalid_argument for locked updates.
template <class F>
void with_window_kind(const window_work& work, const F& f) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device adds without locks");
  const auto with = [](bool condition, const auto& g) { condition ? g(std::true_type{}) : g(std::false_type{}); };
  with(work.update == update_kind::exact, [&](auto exact) {
    with(work.system_scope, [&](auto system) {
      f(margin_kind < std::uint32_t, half, false, decltype(exact)::value ? update_kind::exact : update_kind::lossy,
        decltype(system)::value ? memory_scope::system : memory_scope::device > {});
    });
  });
}

/// One sentence, trained by one warp. The width of the words' numbers is checked for each word, which takes no time
/// beside the other work on a word.
template <class Kind, class Warp>
class sentence_walk {
 public:
  HOGWILD_DEVICE_CODE sentence_walk(const Warp& warp, const window_work& work, std::uint64_t part, std::uint64_t row)
      : warp_(warp),
        work_(work),
        w_(work.weights),
        random_(work.seed, row),
        inputs_(work.floats + part * work.own_floats()),
        gradients_(inputs_ + std::size_t{slots()} * work.width),
        outputs_(gradients_ + std::size_t{slots()} * work.width),
        slopes_(outputs_ + std::size_t{work.negative + 1} * work.width),
        words_(work.numbers + part * work.own_numbers()),
        drawn_(words_ + work.longest + 1) {
    keep_words(row);
  }

  HOGWILD_DEVICE_CODE void train() const {
    const std::uint32_t n = words_[work_.longest], reach = work_.window;
    if (n < 2) return;
    for (std::uint32_t p = 0; p < reach && p < n; ++p) enter(p);
    for (std::uint32_t t = 0; t < n; ++t) {
      if (reach < n - t) enter(t + reach);
      draw_outputs(t);
      read_outputs();
      const neighbours near = neighbours_of(t, n);
      score(t, near);
      differentiate(t, near);
      if (t >= reach) leave(t - reach);
    }
    for (std::uint32_t p = n < reach ? 0 : n - reach; p < n; ++p) leave(p);
  }

  /// The sentence's loss, in double precision as in window_space, for all lanes. Vectors are read in place.
  HOGWILD_DEVICE_CODE double loss() const {
    const std::uint32_t n = words_[work_.longest];
    typename Warp::template each_lane<float> wrong;  // scores that are collected until each lane has one
    typename Warp::template each_lane<double> losses;
    const auto lose = [&](std::uint32_t waiting) {
      warp_.each([&](unsigned lane) {
        if (lane >= waiting) return;
        const auto x = static_cast<double>(wrong[lane]);  // log(1 + e^x), without overflow
        losses[lane] += (x > 0 ? x : 0.0) + std::log1p(std::exp(x > 0 ? -x : x));
      });
    };
    std::uint32_t waiting = 0;
    for (std::uint32_t t = 0; n >= 2 && t < n; ++t) {
      draw_outputs(t);
      const neighbours near = neighbours_of(t, n);
      for (std::uint32_t p = near.begin; p < near.end; ++p) {
        if (p == t) continue;
        for (std::uint32_t j = 0; j <= work_.negative; ++j) {
          if (!scored(j)) continue;
          const float score = product(input_of(words_[p]), output_of(drawn_[j]));
          warp_.each([&](unsigned lane) {
            if (lane == waiting) wrong[lane] = j == 0 ? -score : score;
          });
          if (++waiting == warp_width) lose(waiting), waiting = 0;
        }
      }
      warp_.settle();  // the next window overwrites these words
    }
    lose(waiting);
    return warp_.sum(losses);
  }

 private:
  /// Words from `begin` on and before `end`, one of which is the centre.
  struct neighbours {
    std::uint32_t begin, end;
  };
  HOGWILD_DEVICE_CODE neighbours neighbours_of(std::uint32_t t, std::uint32_t n) const {
    const std::uint32_t radius = 1 + scaled(draw(t, 0), work_.window);
    return {t < radius ? 0 : t - radius, radius < n - t ? t + radius + 1 : n};
  }
  HOGWILD_DEVICE_CODE float product(std::size_t a, std::size_t b) const {
    typename Warp::template each_lane<float> part;
    warp_.deal(work_.width, [&](unsigned lane, std::uint32_t k) { part[lane] += w_.load(a + k) * w_.load(b + k); });
    return warp_.sum(part);
  }

  HOGWILD_DEVICE_CODE static std::uint32_t scaled(std::uint64_t bits, std::uint32_t n) {
    return static_cast<std::uint32_t>((bits >> 32) * n >> 32);
  }
  HOGWILD_DEVICE_CODE std::uint32_t slots() const { return 2 * work_.window + 1; }
  HOGWILD_DEVICE_CODE std::size_t slot(std::uint32_t position) const {
    return std::size_t{position % slots()} * work_.width;
  }
  HOGWILD_DEVICE_CODE std::size_t input_of(std::uint32_t word) const { return std::size_t{2} * word * work_.width; }
  HOGWILD_DEVICE_CODE std::size_t output_of(std::uint32_t word) const { return input_of(word) + work_.width; }
  HOGWILD_DEVICE_CODE std::uint64_t draw(std::uint32_t t, std::uint32_t number) const {
    constexpr std::uint64_t behind_words = std::uint64_t{1} << 32;  // as in window_space::draw
    return random_.bits(behind_words + std::uint64_t{t} * (work_.negative + 1) + number);
  }
  /// Whether output j counts: a drawn word that equals the window's word does not.
  HOGWILD_DEVICE_CODE bool scored(std::uint32_t j) const { return j == 0 || drawn_[j] != drawn_[0]; }

  HOGWILD_DEVICE_CODE void keep_words(std::uint64_t row) const {
    const std::uint64_t begin = work_.start32 != nullptr ? work_.start32[row] : work_.start64[row];
    const std::uint64_t end = work_.start32 != nullptr ? work_.start32[row + 1] : work_.start64[row + 1];
    warp_.first([&](unsigned) {
      std::uint32_t kept = 0;
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint32_t word = work_.index16 != nullptr ? work_.index16[i] : work_.index32[i];
        const auto chance = static_cast<float>(random_.bits(i - begin) >> 40) * 0x1p-24f;  // as in window_space::take
        if (chance < work_.keep[word]) words_[kept++] = word;
      }
      words_[work_.longest] = kept;
    });
    warp_.settle();
  }

  HOGWILD_DEVICE_CODE void enter(std::uint32_t position) const {
    const std::size_t at = input_of(words_[position]), to = slot(position);
    warp_.deal(work_.width, [&](unsigned, std::uint32_t k) {
      inputs_[to + k] = w_.load(at + k);
      gradients_[to + k] = 0.0f;
    });
  }
  HOGWILD_DEVICE_CODE void leave(std::uint32_t position) const {
    const std::size_t at = input_of(words_[position]), from = slot(position);
    warp_.deal(work_.width, [&](unsigned, std::uint32_t k) { w_.add(at + k, -work_.step * gradients_[from + k]); });
  }

  /// The word of the window, and the drawn ones.
  HOGWILD_DEVICE_CODE void draw_outputs(std::uint32_t t) const {
    warp_.deal(work_.negative + 1, [&](unsigned, std::uint32_t j) {
      if (j == 0) {
        drawn_[j] = words_[t];
        return;
      }
      const std::uint64_t bits = draw(t, j);
      drawn_[j] = work_.drawn[scaled(bits, work_.words)].drawn_by(static_cast<std::uint32_t>(bits));
    });
    warp_.settle();
  }
  HOGWILD_DEVICE_CODE void read_outputs() const {
    for (std::uint32_t j = 0; j <= work_.negative; ++j) {
      const std::size_t at = output_of(drawn_[j]), to = std::size_t{j} * work_.width;
      warp_.deal(work_.width, [&](unsigned, std::uint32_t k) { outputs_[to + k] = w_.load(at + k); });
    }
  }

  /// The slopes of all pairs of an input and an output.
  HOGWILD_DEVICE_CODE void score(std::uint32_t t, neighbours near) const {
    float* slope = slopes_;
    for (std::uint32_t p = near.begin; p < near.end; ++p) {
      if (p == t) continue;
      const float* const input = inputs_ + slot(p);
      for (std::uint32_t j = 0; j <= work_.negative; ++j, ++slope) {
        if (!scored(j)) continue;
        const float* const output = outputs_ + std::size_t{j} * work_.width;
        typename Warp::template each_lane<float> part;
        warp_.deal(work_.width, [&](unsigned lane, std::uint32_t k) { part[lane] += input[k] * output[k]; });
        const float sigma = 1.0f / (1.0f + vector_exp(-warp_.sum(part)));
        warp_.first([&](unsigned) { *slope = sigma - (j == 0 ? 1.0f : 0.0f); });
      }
    }
    warp_.settle();
  }

  HOGWILD_DEVICE_CODE void differentiate(std::uint32_t t, neighbours near) const {
    const std::uint32_t outputs = work_.negative + 1;
    const float* slope = slopes_;
    for (std::uint32_t p = near.begin; p < near.end; ++p) {
      if (p == t) continue;
      warp_.deal(work_.width, [&](unsigned, std::uint32_t k) {
        float sum = 0.0f;
        for (std::uint32_t j = 0; j < outputs; ++j)
          if (scored(j)) sum += slope[j] * outputs_[std::size_t{j} * work_.width + k];
        gradients_[slot(p) + k] += sum;
      });
      slope += outputs;
    }
    for (std::uint32_t j = 0; j < outputs; ++j) {
      if (!scored(j)) continue;
      const std::size_t at = output_of(drawn_[j]);
      warp_.deal(work_.width, [&](unsigned, std::uint32_t k) {
        float sum = 0.0f;
        const float* of_input = slopes_ + j;
        for (std::uint32_t p = near.begin; p < near.end; ++p) {
          if (p == t) continue;
          sum += *of_input * inputs_[slot(p) + k];
          of_input += outputs;
        }
        w_.add(at + k, -work_.step * sum);
      });
    }
    warp_.settle();  // the next window overwrites these words and slopes
  }

  const Warp& warp_;
  const window_work& work_;
  typename Kind::weights_type w_;
  counter_random random_;
  float *inputs_, *gradients_, *outputs_, *slopes_;
  std::uint32_t *words_, *drawn_;
};

/// The body of a kernel of this kind. The work describes the whole model.
template <class Kind>
struct window_part {
  struct no_model {};
  static constexpr unsigned least_warps = 32;

  /// Trains rows part, part + parts, ... of the work, one after the other; returns how many.
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const window_work& work, no_model,
                                                 std::uint64_t part, std::uint64_t parts) {
    for (std::uint64_t i = part; i < work.count; i += parts) {
      sentence_walk<Kind, Warp>(warp, work, part, work.first + i).train();
      warp.settle();  // the next row overwrites these words, and reads what all lanes have added
    }
    return part < work.count ? (work.count - part - 1) / parts + 1 : 0;
  }
};

}  // namespace hogwild::device
