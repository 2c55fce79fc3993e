// SPDX-License-Identifier: Apache-2.0
#include "made_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild::bench {
namespace {

/// Calls f(first, last) for parts of n, at the same time.
template <class F>
void in_parts(std::size_t n, const F& f) {
  const std::size_t threads = worker_count();
  thread_team::make(thread_team_kind::std, threads, false)->run([&](std::size_t t) {
    f(n * t / threads, n * (t + 1) / threads);
  });
}

}  // namespace

generate::rows made_ratings(std::size_t ratings, std::size_t users, std::size_t items) {
  const counter_random who(1, 1), taste(1, 2), noise(1, 3);
  constexpr std::size_t traits = 4;
  const auto often = [](double uniform, std::size_t count) {
    return std::min(static_cast<std::uint32_t>(std::pow(uniform, 1.5) * static_cast<double>(count)),
                    static_cast<std::uint32_t>(count - 1));
  };
  const auto trait = [&](std::size_t column, std::size_t k) {
    return 2.0 * taste.uniform((traits + 1) * column + k) - 1.0;
  };
  generate::rows made;
  made.columns = users + items;
  made.row_start.resize(ratings + 1);
  made.index.resize(2 * ratings);
  made.value.assign(2 * ratings, 1.0f);
  made.label.resize(ratings);
  in_parts(ratings, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      const std::size_t user = often(who.uniform(2 * r), users), item = users + often(who.uniform(2 * r + 1), items);
      double score = 3.0 + 0.5 * (trait(user, traits) + trait(item, traits)) + 0.5 * (noise.uniform(r) - 0.5);
      for (std::size_t k = 0; k < traits; ++k) score += trait(user, k) * trait(item, k);
      made.row_start[r + 1] = 2 * (r + 1);
      made.index[2 * r] = static_cast<std::uint32_t>(user);
      made.index[2 * r + 1] = static_cast<std::uint32_t>(item);
      made.label[r] = static_cast<float>(score);  // as files of ratings hold them
    }
  });
  return made;
}

generate::rows made_sentences(std::size_t words, std::size_t different) {
  constexpr std::size_t length = 20, topics = 100;
  const counter_random draws(1, 5);
  const double range = std::log(static_cast<double>(different));
  const auto number = [&](double uniform) {
    return std::min(static_cast<std::size_t>(std::exp(uniform * range)), different) - 1;
  };
  const std::size_t sentences = std::max<std::size_t>(words / length, 1);
  generate::rows made;
  made.columns = different;
  made.row_start.resize(sentences + 1);
  made.index.resize(sentences * length);
  made.value.assign(sentences * length, 1.0f);
  made.label.resize(sentences);
  in_parts(sentences, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      const auto topic = static_cast<std::size_t>(draws.uniform(3 * length * r) * topics);
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t at = 3 * (length * r + k);
        std::size_t word = number(draws.uniform(at + 1));
        const std::size_t own = word - word % topics + topic;
        if (draws.uniform(at + 2) < 0.5 && own < different) word = own;
        made.index[length * r + k] = static_cast<std::uint32_t>(word);
      }
      made.row_start[r + 1] = length * (r + 1);
    }
  });
  return made;
}

void label_by_planes(generate::rows& rows, std::size_t planes) {
  const counter_random random(1, 4);
  in_parts(rows.label.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      double farthest = -1e30;
      for (std::size_t c = 0; c < planes; ++c) {
        double score = 0;
        for (std::uint64_t k = rows.row_start[r]; k < rows.row_start[r + 1]; ++k)
          score += static_cast<double>(rows.value[k]) * (random.uniform(rows.index[k] * planes + c) - 0.5);
        if (score <= farthest) continue;
        farthest = score;
        rows.label[r] = static_cast<double>(c);
      }
    }
  });
}

}  // namespace hogwild::bench
