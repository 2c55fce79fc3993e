// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/agreement.hpp>

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

/// Calls `meet` with a copy of x, and takes over what it makes of that. Where it throws, other ranks may still read and
/// write the copy, for as long as their threads wait; it stays for good, since a group breaks off once.
template <class Meet>
void in_a_copy(std::span<double> x, const Meet& meet) {
  auto copy = std::make_unique<std::vector<double>>(x.begin(), x.end());
  try {
    meet(std::span(*copy));
  } catch (...) {
    static std::mutex mutex;
    static auto& left = *new std::list<std::unique_ptr<std::vector<double>>>;  // never destroyed
    const std::lock_guard lock(mutex);
    left.push_back(std::move(copy));
    throw;
  }
  std::ranges::copy(*copy, x.begin());
}

}  // namespace

void agreement::sum(std::span<double> x) const {
  if (!alone()) in_a_copy(x, [&](std::span<double> copy) { ranks_->all_reduce(copy); });
}

void agreement::take_first(std::span<double> x) const {
  if (!alone()) in_a_copy(x, [&](std::span<double> copy) { ranks_->broadcast(copy, 0); });
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
  // Every rank fills its own places of an array of zeros.
  std::vector<double> all(total);
  std::ranges::copy(mine, all.begin() + static_cast<std::ptrdiff_t>(before));
  sum(all);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void agreement::require_equal(std::span<const std::byte> bytes, std::string_view what) const {
  if (alone()) return;
  const std::uint64_t sum_of_mine = detail::checksum(bytes);
  // Halves are whole numbers that a double holds.
  const std::array<double, 2> mine{static_cast<double>(sum_of_mine >> 32),
                                   static_cast<double>(sum_of_mine & 0xffffffffu)};
  std::array<double, 2> first = mine;
  take_first(first);
  std::vector<double> differs(size());
  differs[rank()] = first == mine ? 0.0 : 1.0;
  sum(differs);
  const auto other = std::ranges::find(differs, 1.0);
  if (other == differs.end()) return;
  throw worker_error("ranks 0 and " + std::to_string(other - differs.begin()) + " do not have the same " +
                     std::string(what));
}

}  // namespace hogwild
