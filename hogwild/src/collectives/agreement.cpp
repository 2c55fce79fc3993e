// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/agreement.hpp>

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// Calls meet(memory) and returns the result. If meet() throws, other ranks may still read and write the memory while
/// their threads wait, so it is never freed. This happens at most once, since a group breaks once.
template <class Memory, class Meet>
Memory met_in(Memory memory, const Meet& meet) {
  const auto kept = std::make_shared<Memory>(std::move(memory));
  try {
    meet(*kept);
  } catch (...) {
    static std::mutex mutex;
    static auto& left = *new std::list<std::shared_ptr<void>>;  // never destroyed
    const std::lock_guard lock(mutex);
    left.push_back(kept);
    throw;
  }
  return std::move(*kept);
}

template <class Meet>
void in_a_copy(std::span<double> x, const Meet& meet) {
  const auto met = met_in(std::vector<double>(x.begin(), x.end()), meet);
  std::ranges::copy(met, x.begin());
}

template <class T>
struct gathered_numbers {
  std::vector<T> mine, all;
};

}  // namespace

void agreement::sum(std::span<double> x) const {
  if (!alone()) in_a_copy(x, [&](std::vector<double>& copy) { ranks_->all_reduce(std::span<double>(copy)); });
}

void agreement::take(std::span<double> x, std::size_t root) const {
  if (!alone()) in_a_copy(x, [&](std::vector<double>& copy) { ranks_->broadcast(std::span<double>(copy), root); });
}

void agreement::take_first(std::vector<float>& x) const {
  if (alone()) return;
  x = met_in(std::move(x), [&](std::vector<float>& kept) { ranks_->broadcast(std::span<float>(kept), 0); });
}

std::vector<double> agreement::gathered(std::vector<double> mine) const {
  if (alone()) return mine;
  std::vector<double> room(mine.size() * size());
  auto met = met_in(gathered_numbers<double>{std::move(mine), std::move(room)}, [&](gathered_numbers<double>& kept) {
    ranks_->all_gather(std::span<const double>(kept.mine), std::span<double>(kept.all));
  });
  return std::move(met.all);
}

std::vector<float> agreement::gathered_by_first(std::vector<float> mine) const {
  if (alone()) return mine;
  std::vector<float> room(rank() == 0 ? mine.size() * size() : 0);
  auto met = met_in(gathered_numbers<float>{std::move(mine), std::move(room)}, [&](gathered_numbers<float>& kept) {
    ranks_->gather(std::span<const float>(kept.mine), std::span<float>(kept.all), 0);
  });
  return std::move(met.all);
}

std::vector<double> agreement::all_of(std::vector<double> mine) const {
  const std::size_t n = size();
  std::vector<double> counts(n);
  counts[rank()] = static_cast<double>(mine.size());
  sum(counts);
  std::size_t before = 0, total = 0;
  for (std::size_t r = 0; r < n; ++r) {
    if (r == rank()) before = total;
    total += static_cast<std::size_t>(counts[r]);
  }
  // Every rank fills its own places in an array of zeros.
  std::vector<double> all(total);
  std::ranges::copy(mine, all.begin() + static_cast<std::ptrdiff_t>(before));
  sum(all);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::optional<std::size_t> agreement::other_than_first(std::span<const std::byte> bytes) const {
  if (alone()) return std::nullopt;
  const std::uint64_t sum_of_mine = detail::checksum(bytes);
  // Each half is a whole number that a double holds exactly.
  const std::array<double, 2> mine{static_cast<double>(sum_of_mine >> 32),
                                   static_cast<double>(sum_of_mine & 0xffffffffu)};
  std::array<double, 2> first = mine;
  take_first(first);
  std::vector<double> differs(size());
  differs[rank()] = first == mine ? 0.0 : 1.0;
  sum(differs);
  const auto other = std::ranges::find(differs, 1.0);
  if (other == differs.end()) return std::nullopt;
  return static_cast<std::size_t>(other - differs.begin());
}

void agreement::require_equal(std::span<const std::byte> bytes, std::string_view what) const {
  if (const auto other = other_than_first(bytes))
    throw worker_error("ranks 0 and " + std::to_string(*other) + " do not have the same " + std::string(what));
}

}  // namespace hogwild
