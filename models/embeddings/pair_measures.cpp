// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <hogwild/detail/embeddings/pair_model.hpp>
#include <hogwild/detail/embeddings/target_finder.hpp>
#include <hogwild/detail/results/top_counts.hpp>

namespace hogwild {

target_table pair_shape::item_table(std::span<const float> w, isa set) const {
  return {w.subspan(item_row(0), items * width()), width(),
          bias ? w.subspan(item_bias(0), items) : std::span<const float>(), cosine, set};
}

void pair_shape::measure(std::span<const float> w, const std::shared_ptr<const pair_side>& side,
                         const sparse_view& rows, std::size_t lists, const thread_runner& in_threads, isa set,
                         const std::stop_token& stop, measurement& into) const {
  if (parts > 0)
    return without_parts().measure(composed(w, side->parts), side, rows, lists, in_threads, set, stop, into);
  const known_targets given(rows, users, items);
  const target_table table = item_table(w, set);
  std::vector<std::uint32_t> asked;  // users with a pair among the rows
  for (std::size_t user = 0; user < users; ++user)
    if (!given.of(user).empty()) asked.push_back(static_cast<std::uint32_t>(user));
  if (lists < asked.size()) {
    for (std::size_t i = 0; i < lists; ++i) asked[i] = asked[i * asked.size() / lists];
    asked.resize(lists);
  }

  // Lists are made by all threads and counted by one, so that sums do not depend on the number of threads.
  constexpr std::size_t users_at_a_time = 1 << 14;
  top_counts counts(items);
  struct answer {
    std::vector<std::uint32_t> best, wanted;
    double above = 0.0;
  };
  std::vector<answer> answers(std::min(users_at_a_time, asked.size()));
  for (std::size_t begin = 0; begin < asked.size() && !stop.stop_requested(); begin += users_at_a_time) {
    const std::span<const std::uint32_t> some =
        std::span(asked).subspan(begin, std::min(users_at_a_time, asked.size() - begin));
    std::atomic<std::size_t> next{0};
    in_threads([&] {
      target_finder finder(table, top_items);
      std::vector<std::span<const std::uint32_t>> known, wanted;
      while (!stop.stop_requested()) {
        const std::size_t first = next.fetch_add(target_finder::most_sources);
        if (first >= some.size()) break;
        const std::size_t n = std::min(target_finder::most_sources, some.size() - first);
        known.clear(), wanted.clear();
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint32_t user = some[first + i];
          std::ranges::copy(w.subspan(user_row(user), width()), finder.source(i).begin());
          known.push_back(side->known.of(user));
          answer& to = answers[first + i];
          to.wanted.clear();
          std::ranges::set_difference(given.of(user), known.back(), std::back_inserter(to.wanted));
          wanted.push_back(to.wanted);
        }
        finder.find(known, wanted);
        for (std::size_t i = 0; i < n; ++i) {
          answer& to = answers[first + i];
          to.best.clear();
          for (const scored_target& best : finder.best(i)) to.best.push_back(best.target);
          to.above = finder.above(i);
        }
      }
    });
    for (std::size_t i = 0; i < some.size(); ++i)
      counts.add(answers[i].best, answers[i].wanted, answers[i].above, items - side->known.of(some[i]).size());
  }
  if (!stop.stop_requested()) counts.measure(into);
}

}  // namespace hogwild
