// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/core/private_memory.hpp>

namespace hogwild::detail {

/// Ranks that columns have while their text is still being parsed: by frequency in its beginning, then by appearance. A
/// column that is frequent appears early, so that hot columns have low ranks though nobody has counted them to the end.
///
/// No two columns have the same rank, and one that was given stays. Nobody waits: in wide data nearly every row brings
/// new columns, and threads that queue for the next rank would do little else. So each of them keeps a few ranks in
/// reserve, and those left over at the end are nobody's.
///
/// The table has one number for each column that there can be, of which only those parts are touched where columns
/// occur: to hash would cost as much for each entry of a row as its training does.
class provisional_ranks {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  /// Ranks that one thread may give next: a cache line of parameters, which its own rows are the first to use.
  class reserve {
   public:
    static constexpr std::uint32_t most = 16;

   private:
    friend provisional_ranks;
    std::uint32_t next = 0, end = 0;
  };

  /// For columns below `columns`. Throws resource_error where there is no memory.
  explicit provisional_ranks(std::size_t columns);

  /// Gives the first ranks to the columns of these entries, low ones to frequent ones; columns that the table does not
  /// have are passed over. Once, before anybody else looks.
  void rank_by_frequency(std::span<const std::uint32_t> entries);

  /// Writes the rank of each of these columns, which are below `columns`; one that has none gets one. `ranks` has as
  /// many places. Any number of threads at once, each with a reserve of its own.
  void rank(std::span<const std::uint32_t> columns, std::uint32_t* ranks, reserve& mine);

  /// The rank of a column, `none` where it has none.
  std::uint32_t find(std::uint32_t column) const { return column < columns_ ? place(column).load() - 1 : none; }

  /// All ranks given so far are below this, and at most reserve::most a thread of those below were not given.
  std::size_t size() const { return size_; }

 private:
  /// Holds the rank and one, so that memory as it comes holds none.
  std::atomic_ref<std::uint32_t> place(std::uint32_t column) const {
    return std::atomic_ref(reinterpret_cast<std::uint32_t*>(memory_.base())[column]);
  }
  std::uint32_t give(std::uint32_t column, reserve& mine);

  std::size_t columns_;
  private_memory memory_;
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace hogwild::detail
