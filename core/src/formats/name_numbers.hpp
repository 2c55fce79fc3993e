// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/concurrent_unordered_map.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::detail {

/// Gives names numbers; any number of threads may ask for numbers at the same time.
///
/// Threads meet names in a different order each time, so these numbers are provisional: settle() gives new names the
/// numbers after those of known ones, in the order of their bytes, which depends only on the names.
class name_numbers {
 public:
  /// `known[k]` has the number k, before and after settle(). Beyond `largest` number_of() throws resource_error, which
  /// says `too_many`.
  name_numbers(std::span<const std::string> known, std::uint32_t largest, std::string too_many);

  /// A name, which stays where it is as long as this, and its provisional number.
  struct numbered {
    std::string_view name{};
    std::uint32_t number = 0;
  };
  /// Any thread may call it at any time.
  numbered entry_of(std::string_view name);
  std::uint32_t number_of(std::string_view name) { return entry_of(name).number; }
  /// The number of a name that has one.
  std::optional<std::uint32_t> find(std::string_view name) const;

  /// Appends the new names, if keeps(provisional number), to the known ones and returns the final number of each
  /// provisional one, or `dropped`. To be called when no thread calls number_of() any more.
  std::vector<std::uint32_t> settle(std::vector<std::string>& names,
                                    const std::function<bool(std::uint32_t number)>& keeps = {}) const;
  static constexpr std::uint32_t dropped = 0xffffffffu;

 private:
  struct bytes_hash {
    using transparent_key_equal = std::equal_to<>;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  tbb::concurrent_unordered_map<std::string, std::uint32_t, bytes_hash> numbers_;
  std::atomic<std::uint32_t> next_;
  std::uint32_t largest_;
  std::string too_many_;
};

}  // namespace hogwild::detail
