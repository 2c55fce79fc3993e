// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/sampler.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

// Numbers that must not be swapped at a call site. Each converts only explicitly, by index().

enum class worker_id : std::uint32_t {};   ///< which worker of the run, from 0
enum class shard_id : std::uint32_t {};    ///< which part of the tickets, from 0
enum class epoch : std::uint32_t {};       ///< which pass over the data, from 1
enum class coordinate : std::uint64_t {};  ///< which parameter, from 0

template <class E>
requires std::is_enum_v<E>
constexpr std::size_t index(E e) noexcept {
  return static_cast<std::size_t>(e);
}

/// A range of tickets that workers draw from one counter. The shards of a plan are disjoint and cover every chunk, for
/// any number of shards.
struct shard {
  std::size_t first = 0;  ///< tickets [first, last)
  std::size_t last = 0;
  std::size_t size() const { return last - first; }

  /// The `id`-th of `count` parts of `chunks` chunks; sizes differ by at most one.
  static shard part(std::size_t chunks, shard_id id, std::size_t count) {
    const std::size_t i = index(id);
    return {chunks * i / count, chunks * (i + 1) / count};
  }
};

/// The chunk of each ticket: within each shard a fresh random order each pass, or the stored order. The short chunk, if
/// any, keeps the last ticket, so that if a shard's tickets are drawn in turn, all before it are of full size.
class chunk_order {
 public:
  chunk_order(const chunk_plan& plan, shard range, std::uint64_t seed, std::uint64_t pass,
              row_order order = row_order::chunked)
      : range_(range),
        full_(order == row_order::sequential ? 0
              : range.last > plan.full()     ? plan.full() - range.first
                                             : range.size()),
        permutation_(full_, seed ^ 0x63687566u, pass * 0x10001u + range.first) {}

  std::size_t operator()(std::size_t ticket) const {
    const std::size_t local = ticket - range_.first;
    return local < full_ ? range_.first + permutation_(local) : ticket;
  }

 private:
  shard range_;
  std::size_t full_;
  feistel_permutation permutation_;
};

}  // namespace hogwild
