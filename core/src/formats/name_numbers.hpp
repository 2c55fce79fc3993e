// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/spin_mutex.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/field_values.hpp"

namespace hogwild::detail {

/// Gives names numbers; any number of threads may ask for numbers at the same time.
///
/// Threads meet names in a different order each time, so these numbers are provisional: settle() gives new names the
/// numbers after those of known ones, in the order of their bytes, which depends only on the names.
class name_numbers {
 public:
  static constexpr std::uint32_t dropped = 0xffffffffu;  ///< no number
  /// `known[k]` has the number k, before and after settle(); of equal ones, which fill gaps, the first has its own.
  /// Beyond `largest` number_of() throws resource_error, which says `too_many`.
  name_numbers(std::span<const std::string> known, std::uint32_t largest, std::string too_many);

  /// The provisional number of a name. Any thread may call it at any time. `hash` is that of the name
  /// (field_values.hpp).
  std::uint32_t number_of(std::string_view name, std::uint64_t hash);
  std::uint32_t number_of(std::string_view name) { return number_of(name, hash_of(name)); }
  /// The number of a name that has one. To be called while no thread calls number_of().
  std::optional<std::uint32_t> find(std::string_view name) const { return find(name, hash_of(name)); }
  std::optional<std::uint32_t> find(std::string_view name, std::uint64_t hash) const;
  /// Fetches the place of a name that will be asked for soon.
  void announce(std::uint64_t hash) const {
    const known_slots& known = known_[hash % known_.size()];
    __builtin_prefetch(known.first.load(std::memory_order_relaxed) +
                       (upper_half(hash) & known.last.load(std::memory_order_relaxed)));
  }

  /// Appends the new names, if keeps(provisional number), to the known ones and returns the final number of each
  /// provisional one, or `dropped`. To be called once, and nothing after it.
  std::vector<std::uint32_t> settle(std::vector<std::string>& names,
                                    const std::function<bool(std::uint32_t number)>& keeps = {});
  /// Of memory, at any time.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct slot {
    std::string name{};      ///< most are short, and then lie here
    std::uint32_t hash = 0;  ///< its upper half
    std::uint32_t number = dropped;
    bool is_free() const { return number == dropped; }
  };
  /// A hash table with open addressing for the names whose hashes end alike, so that threads seldom wait for each
  /// other. The usual concurrent tables follow a chain of nodes to each name, and each is a cache miss.
  struct alignas(64) table {
    tbb::spin_mutex mutex{};    // held for less time than a thread takes to fall asleep
    std::vector<slot> slots{};  ///< none, or a power of two of which a quarter or more are free
    std::size_t names = 0;
    /// The slot of a name, or the free one that it would take. There is at least one slot.
    slot& slot_of(std::string_view name, std::uint32_t hash);
    /// Returns the bytes that this takes.
    std::size_t make_room();
  };
  /// A table's slots as threads may know them without its lock, to fetch them alone.
  struct known_slots {
    std::atomic<const slot*> first{nullptr};
    std::atomic<std::size_t> last{0};
  };
  /// The number of a name; a new one gets what next() returns.
  std::uint32_t number_of(std::string_view name, std::uint64_t hash, const auto& next);
  static std::uint32_t upper_half(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
  table& table_of(std::uint64_t hash) const { return tables_[hash % tables_.size()]; }

  mutable std::array<table, 64> tables_{};
  std::array<known_slots, 64> known_{};  ///< apart from the locks, which change all the time
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::size_t> bytes_{sizeof tables_};
  std::uint32_t largest_;
  std::string too_many_;
};

}  // namespace hogwild::detail
