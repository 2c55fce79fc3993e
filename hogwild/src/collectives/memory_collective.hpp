// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/platform/process_watch.hpp>

#include "meeting_place.hpp"

namespace hogwild::detail {

/// A member of a group in common memory: a thread of a process, or a process that maps the same bytes.
///
/// An all-reduce takes two meetings. At the first, every member learns where the others' numbers lie. Then rank r sums
/// the r-th part over all members and writes the sum to all of them; nobody else touches that part. At the second, all
/// parts are done. That moves as few bytes as possible, and the bits do not depend on the order of arrival. Numbers
/// outside the common memory pass through windows, in pieces that are small enough for the caches.
class memory_collective final : public typed_collective<memory_collective> {
 public:
  /// Joins as `rank`. Throws config_error if the rank is taken or does not exist.
  memory_collective(const common_memory& memory, std::size_t rank, const collective_options& options);
  ~memory_collective() override;

  std::size_t rank() const noexcept override { return rank_; }
  std::size_t size() const noexcept override { return memory_.members.size(); }
  bool has_common_memory() const noexcept override { return true; }
  void barrier() override;
  void fail(const std::string& reason) noexcept override;

  template <class T>
  void sum_to_all(std::span<T> x);
  template <class T>
  void send_from(std::span<T> x, std::size_t root);
  template <class T>
  void sum_to(std::span<T> x, std::size_t root);
  template <class T>
  void collect(std::span<const T> x, std::span<T> all, std::size_t root);
  template <class T>
  void collect_all(std::span<const T> x, std::span<T> all);

 private:
  template <class T, class Part, class Body>
  void in_pieces(std::span<T> x, offer call, const Part& own_part, const Body& body);
  bool is_shared(const void* begin, std::size_t bytes) const;
  std::byte* base() const { return memory_.shared.data(); }
  template <class T>
  T* numbers_of(std::size_t rank) const;
  template <class T>
  std::vector<T*> numbers_of_all() const;

  void begin(const offer& call);
  void meet();
  void give_up(std::uint32_t number, const std::string& sentence, std::span<const std::size_t> silent = {});
  void explain(const std::string& sentence) noexcept;
  [[noreturn]] void throw_reason() const;
  std::optional<std::size_t> lost_rank(std::string& how);
  std::vector<std::size_t> absent_ranks() const;
  group_member& self() const { return memory_.members[rank_]; }

  common_memory memory_;
  std::size_t rank_;
  collective_options options_;
  std::vector<std::optional<process_watch>> watches_;
};

}  // namespace hogwild::detail
