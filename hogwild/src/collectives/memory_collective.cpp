// SPDX-License-Identifier: Apache-2.0
#include "memory_collective.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/collectives/rank_sum.hpp>

namespace hogwild::detail {

namespace {

constexpr index_range nothing{0, 0};

/// Copies all of n elements except those in `range`, which only their owner needs.
template <class T>
void copy_around(index_range range, const T* from, std::size_t n, T* to) {
  std::copy_n(from, range.begin, to);
  std::copy(from + range.end, from + n, to + range.end);
}

}  // namespace

bool memory_collective::is_shared(const void* begin, std::size_t bytes) const {
  if (memory_.shared.empty()) return true;
  const auto at = reinterpret_cast<std::uintptr_t>(begin), from = reinterpret_cast<std::uintptr_t>(base());
  return at >= from && at - from <= memory_.shared.size() && bytes <= memory_.shared.size() - (at - from);
}

template <class T>
T* memory_collective::numbers_of(std::size_t rank) const {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(base()) + memory_.members[rank].offered.address);
}

template <class T>
std::vector<T*> memory_collective::numbers_of_all() const {
  std::vector<T*> all(size());
  for (std::size_t r = 0; r < size(); ++r) all[r] = numbers_of<T>(r);
  return all;
}

/// Runs body(mine, at, n) for each piece [at, at + n) of x between two meetings, or once for an empty x. `mine` is
/// where all members see this piece: x itself, or this member's window, into which the piece has been copied except for
/// the range own_part(n).
template <class T, class Part, class Body>
void memory_collective::in_pieces(std::span<T> x, offer call, const Part& own_part, const Body& body) {
  using number = std::remove_const_t<T>;
  const bool in_place = is_shared(x.data(), x.size_bytes());
  const std::size_t most =
      memory_.shared.empty() ? std::numeric_limits<std::size_t>::max() : memory_.window.size() / sizeof(T);
  call.scalar_bytes = sizeof(T);
  call.length = x.size();
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(most, x.size() - at);
    auto* const mine = in_place ? const_cast<number*>(x.data()) + at : reinterpret_cast<number*>(memory_.window.data());
    if (!in_place) copy_around<number>(own_part(n), x.data() + at, n, mine);
    call.address = reinterpret_cast<std::uintptr_t>(mine) - reinterpret_cast<std::uintptr_t>(base());
    begin(call);
    body(mine, at, n);
    at += n;
  } while (at < x.size());
}

template <class T>
void memory_collective::sum_to_all(std::span<T> x) {
  if (size() == 1) return;
  const auto own_part = [this](std::size_t n) { return part_of(n, rank_, size()); };
  in_pieces(x, {.call = operation::all_reduce}, own_part, [&](T* mine, std::size_t at, std::size_t n) {
    std::vector<T*> all = numbers_of_all<T>();
    all[rank_] = x.data() + at;  // nobody else reads or writes this part of them
    const std::vector<const T*> sources(all.begin(), all.end());
    sum_in_order<T>(sources, all, own_part(n));
    meet();
    if (mine != x.data() + at) copy_around<T>(own_part(n), mine, n, x.data() + at);
  });
}

template <class T>
void memory_collective::send_from(std::span<T> x, std::size_t root) {
  check_root(root, size());
  if (size() == 1) return;
  const auto kept = [&](std::size_t n) { return rank_ == root ? nothing : index_range{0, n}; };
  in_pieces(x, {.call = operation::broadcast, .root = root}, kept, [&](T*, std::size_t at, std::size_t n) {
    if (rank_ != root) std::copy_n(numbers_of<const T>(root), n, x.data() + at);
    meet();
  });
}

template <class T>
void memory_collective::sum_to(std::span<T> x, std::size_t root) {
  check_root(root, size());
  if (size() == 1) return;
  const auto kept = [](std::size_t) { return nothing; };
  in_pieces(x, {.call = operation::reduce, .root = root}, kept, [&](T* mine, std::size_t at, std::size_t n) {
    const std::vector<T*> all = numbers_of_all<T>();
    const std::vector<const T*> sources(all.begin(), all.end());
    sum_in_order<T>(sources, std::span(&all[root], 1), part_of(n, rank_, size()));
    meet();
    if (rank_ == root && mine != x.data() + at) std::copy_n(mine, n, x.data() + at);
  });
}

template <class T>
void memory_collective::collect(std::span<const T> x, std::span<T> all, std::size_t root) {
  check_root(root, size());
  if (rank_ == root) check_gathered(all.size(), x.size(), size());
  const auto kept = [](std::size_t) { return nothing; };
  in_pieces(x, {.call = operation::gather, .root = root}, kept, [&](T*, std::size_t at, std::size_t n) {
    for (std::size_t r = 0; rank_ == root && r < size(); ++r) {
      std::copy_n(numbers_of<const T>(r), n, all.data() + r * x.size() + at);
    }
    meet();
  });
}

template <class T>
void memory_collective::collect_all(std::span<const T> x, std::span<T> all) {
  check_gathered(all.size(), x.size(), size());
  const auto kept = [](std::size_t) { return nothing; };
  in_pieces(x, {.call = operation::all_gather}, kept, [&](T*, std::size_t at, std::size_t n) {
    for (std::size_t r = 0; r < size(); ++r) std::copy_n(numbers_of<const T>(r), n, all.data() + r * x.size() + at);
    meet();
  });
}

void memory_collective::barrier() {
  begin({.call = operation::barrier});
  meet();
}

template void memory_collective::sum_to_all(std::span<float>);
template void memory_collective::sum_to_all(std::span<double>);
template void memory_collective::send_from(std::span<float>, std::size_t);
template void memory_collective::send_from(std::span<double>, std::size_t);
template void memory_collective::sum_to(std::span<float>, std::size_t);
template void memory_collective::sum_to(std::span<double>, std::size_t);
template void memory_collective::collect(std::span<const float>, std::span<float>, std::size_t);
template void memory_collective::collect(std::span<const double>, std::span<double>, std::size_t);
template void memory_collective::collect_all(std::span<const float>, std::span<float>);
template void memory_collective::collect_all(std::span<const double>, std::span<double>);

}  // namespace hogwild::detail
