// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/concurrent_unordered_map.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::detail {

/// Numbers for names, met by any number of threads in any order.
///
/// Threads meet the same names in another order each time, so what they get is provisional: settle() gives new names
/// the numbers behind those that were known, in the order of their bytes, which depends on the names alone.
class name_numbers {
 public:
  /// `known[k]` has the number k, now and later.
  explicit name_numbers(std::span<const std::string> known);

  /// The provisional number of a name. Any thread, at any time. Throws resource_error beyond
  /// largest_rating_id.
  std::uint32_t number_of(std::string_view name);

  /// Appends the new names to those that were known and returns the number that each provisional one stands for. When
  /// no other thread asks any more.
  std::vector<std::uint32_t> settle(std::vector<std::string>& names) const;

 private:
  struct bytes_hash {
    using transparent_key_equal = std::equal_to<>;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  tbb::concurrent_unordered_map<std::string, std::uint32_t, bytes_hash> numbers_;
  std::atomic<std::uint32_t> next_;
};

}  // namespace hogwild::detail
