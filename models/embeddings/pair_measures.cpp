// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
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
                         const sparse_view& rows, const thread_runner& in_threads, isa set, const std::stop_token& stop,
                         measurement& into) const {
  const known_targets given(rows, users, items);
  const target_table table = item_table(w, set);
  std::vector<std::uint32_t> asked;  // users with a pair among the rows
  for (std::size_t user = 0; user < users; ++user)
    if (!given.of(user).empty()) asked.push_back(static_cast<std::uint32_t>(user));

  top_counts all(items);
  std::mutex adding;
  std::atomic<std::size_t> next{0};
  in_threads([&] {
    top_counts mine(items);
    target_finder finder(table, top_items);
    std::vector<std::span<const std::uint32_t>> known;
    std::vector<std::uint32_t> wanted, list;
    while (!stop.stop_requested()) {
      const std::size_t first = next.fetch_add(target_finder::most_sources);
      if (first >= asked.size()) break;
      const std::span<const std::uint32_t> some =
          std::span(asked).subspan(first, std::min(target_finder::most_sources, asked.size() - first));
      known.clear();
      for (std::size_t i = 0; i < some.size(); ++i) {
        std::ranges::copy(w.subspan(user_row(some[i]), width()), finder.source(i).begin());
        known.push_back(side->known.of(some[i]));
      }
      finder.find(known);
      for (std::size_t i = 0; i < some.size(); ++i) {
        wanted.clear();
        std::ranges::set_difference(given.of(some[i]), known[i], std::back_inserter(wanted));
        list.clear();
        for (const scored_target& best : finder.best(i)) list.push_back(best.target);
        mine.add(list, wanted);
      }
    }
    const std::scoped_lock lock(adding);
    all.add(mine);
  });
  if (!stop.stop_requested()) all.measure(into);
}

}  // namespace hogwild
