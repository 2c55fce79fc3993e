// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/error.hpp>

namespace hogwild::test {

/// The first of two members, which times out as soon as the other one may read its numbers.
class timed_out_member final : public detail::typed_collective<timed_out_member> {
 public:
  explicit timed_out_member(std::vector<std::span<const double>>& offered) : offered_(offered) {}
  std::size_t rank() const noexcept override { return 0; }
  std::size_t size() const noexcept override { return 2; }
  bool has_common_memory() const noexcept override { return true; }
  void barrier() override {}
  void fail(const std::string&) noexcept override {}

  template <class T>
  void sum_to_all(std::span<T>) {}
  template <class T>
  void sum_to(std::span<T>, std::size_t) {}
  template <class T>
  void collect(std::span<const T>, std::span<T> all, std::size_t) {
    std::ranges::fill(all, T{3});
  }
  template <class T>
  void collect_all(std::span<const T> x, std::span<T>) {
    if constexpr (std::is_same_v<T, double>) offered_.push_back(x);
    throw worker_error("rank 1 of 2 has not come");
  }
  template <class T>
  void send_from(std::span<T> x, std::size_t) {
    if constexpr (std::is_same_v<T, double>) offered_.push_back(x);
    throw worker_error("rank 1 of 2 has not come");
  }

 private:
  std::vector<std::span<const double>>& offered_;
};

/// Whether the memory of `numbers` is still mapped. An array of 33 MB or more is unmapped when it is destroyed.
inline bool is_mapped(std::span<const double> numbers) {
  constexpr std::uintptr_t page = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(numbers.data()) / page * page;
  std::vector<unsigned char> pages((numbers.size_bytes() + 2 * page) / page);
  return ::mincore(reinterpret_cast<void*>(begin), numbers.size_bytes(), pages.data()) == 0;
}

}  // namespace hogwild::test
