// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/core/model.hpp>
#include <hogwild/core/param_store.hpp>
#include <hogwild/core/param_view.hpp>
#include <hogwild/core/private_memory.hpp>
#include <hogwild/core/telemetry.hpp>
#include <hogwild/sharing/in_blocks.hpp>
#include <hogwild/sharing/neighbours.hpp>
#include <hogwild/sharing/own_parameters.hpp>
#include <hogwild/sharing/ruler.hpp>

namespace hogwild {

/// One worker's replica of the shared arrays (parameters, then optimiser state), and when it exchanges how much of it.
///
/// Columns are ranked by frequency, so that most of what a worker changes lies in a short prefix. Like the marks of a
/// ruler, every exchange covers a short prefix of the ranks, every second one twice as many, every fourth four times
/// as many, until all are covered: hot ranks travel each time, rare ones logarithmically rarely. Groups that are not
/// ordered by rank travel whole each time.
///
/// Columns of a single row need no exchange: whoever holds the chunk with that row loads them before it and stores them
/// after it; nobody else has a use for them.
///
/// An exchange never waits: it adds what was gained since the last one and reads what is there. Belongs to one worker.
template <parameter T, class Update>
class replica {
 public:
  /// `groups` say which parts of the arrays are ordered by rank; of these, at most the first `head` parameters are
  /// held. Ranks from `frequent` on are those of columns of a single row, each touched by that row
  /// alone; no_own_columns where a row may touch others. `others`: whom to tell of each exchange.
  replica(const param_store& store, std::size_t slot, worker_memory& memory, std::vector<parameter_group> groups,
          std::size_t head, std::size_t frequent, neighbours* others = nullptr)
      : me_(store.slots()[slot]),
        place_(place_of(slot)),
        groups_(std::move(groups)),
        others_(others),
        frequent_(frequent) {
    const std::size_t count = 1 + store.shape().state_arrays;
    for (std::size_t k = 0; k < count; ++k) {
      const std::span<T> shared = k == 0 ? store.parameters<T>() : store.state<T>(k - 1);
      const std::size_t held = std::min(head, shared.size());
      arrays_.push_back({param_view<T, Update>(shared), memory.array<T>(2 * k, 2 * count, held),
                         memory.array<T>(2 * k + 1, 2 * count, held)});
    }
    const std::size_t held = arrays_[0].work.size();
    for (const parameter_group& g : groups_) {
      widest_ = std::max(widest_, g.width);
      if (!g.hot_first || g.offset >= held) continue;
      ranks_ = std::max(ranks_, std::min({g.rows, frequent_, (held - g.offset + g.width - 1) / g.width}));
    }
  }

  std::span<T> values(std::size_t k) const { return arrays_[k].work; }

  /// Fetches everything: what the others did between the rounds, and the coordinator (a fold, say).
  void begin_round(const round_plan& round) {
    for (const array& a : arrays_) {
      for (const parameter_group& g : groups_) {
        const auto [offset, n] = part_of(g, frequent_);
        in_blocks(me_, offset, n, [&a](std::size_t first, std::size_t size) {
          a.shared.fetch(first, a.work.subspan(first, size), a.base.subspan(first, size));
        });
      }
    }
    period_ = round.exchange_rows;
    share_ = static_cast<T>(round.share);
    state_share_ = static_cast<T>(round.state_share);
    rows_ = period_ * place_ / places;  // workers that start together would exchange together
    turn_ = 0;
    me_.unsent.set(0);
  }

  /// Before rows are trained that alone have the columns `own`, and after them. Nobody else adds to these columns, so
  /// that their values are moved as they are and count in full, here, whatever the round's share. A worker that is
  /// taken for dead must not call end_chunk(); one that was stopped inside it puts back, for these columns, what it had
  /// gained.
  void begin_chunk(column_range own) {
    own_ = own;
    for_own_values([](const param_view<T, Update>& shared, std::size_t first, std::span<T> work) {
      shared.load_block(first, work);
    });
  }
  void end_chunk() const {
    for_own_values([](const param_view<T, Update>& shared, std::size_t first, std::span<T> work) {
      shared.store_block(first, work);
    });
  }

  std::size_t rows_to_exchange() const { return period_ == 0 ? static_cast<std::size_t>(-1) : period_ - rows_; }

  /// After `rows` more rows: exchanges when it is time.
  void exchange(std::size_t rows, race_probe& probe) {
    me_.unsent.raise(rows);
    rows_ += rows;
    if (period_ == 0 || rows_ < period_) return;
    if (others_ != nullptr && !others_->may_exchange()) {
      rows_ = period_ - std::max<std::size_t>(period_ / neighbours::looks_a_period, 1);
      return;
    }
    rows_ = 0;
    ++turn_;
    if (probe.due_at_exchange()) probe.file_exchange([this](auto&& sample) { this->sample_conflicts(sample); });
    const std::size_t met = send(ruler_prefix(turn_, widest_), false);
    if (others_ != nullptr) others_->exchanged(2 * met * sizeof(T));
  }

  /// Sends everything that is left; what the others sent is fetched when the next round begins.
  void end_round() { send(ranks_, true); }

 private:
  /// Workers begin their exchanges at as many different times and places.
  static constexpr std::size_t places = 8;
  /// Neighbouring slots lie far apart: 0, 4, 2, 6, 1, 5, 3, 7.
  static constexpr std::size_t place_of(std::size_t slot) {
    return (slot & 1) * 4 + (slot >> 1 & 1) * 2 + (slot >> 2 & 1);
  }

  struct array {
    param_view<T, Update> shared;
    std::span<T> work, base;
  };

  /// What an optimiser sums up is summed over all workers, whatever is done with the parameters; of its running means
  /// the mean is taken.
  T share_of(std::size_t k) const { return k == 0 ? share_ : state_share_; }

  struct part {
    std::size_t offset, size;
  };

  /// What is held of a group, and of one that is ordered by rank no ranks but the first `ranks`.
  part part_of(const parameter_group& g, std::size_t ranks) const {
    const std::size_t held = arrays_[0].work.size(), offset = std::min(g.offset, held);
    const std::size_t rows = g.hot_first ? std::min(g.rows, ranks) : g.rows;
    return {offset, std::min(rows * g.width, held - offset)};
  }

  template <class Visit>
  void for_own_values(const Visit& visit) const {
    for (const array& a : arrays_) {
      for_own_parameters(own_, frequent_, groups_, a.work.size(), [&](std::size_t offset, std::size_t n) {
        in_blocks(me_, offset, n,
                  [&](std::size_t first, std::size_t size) { visit(a.shared, first, a.work.subspan(first, size)); });
      });
    }
  }

  /// How many numbers met their shared ones.
  std::size_t send(std::size_t prefix, bool last) {
    std::size_t met = 0;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      const array& a = arrays_[k];
      for (const parameter_group& g : groups_) {
        const auto [offset, n] = part_of(g, std::min(prefix, frequent_));
        // Two workers that walk along the same lines side by side would overtake each other's adds.
        const std::size_t cut = n * place_ / places / 16 * 16;
        const T share = share_of(k);
        const auto meet = [&](std::size_t first, std::size_t size) {
          const std::span<T> work = a.work.subspan(first, size), base = a.base.subspan(first, size);
          last ? a.shared.send(first, work, base, share) : a.shared.exchange(first, work, base, share);
        };
        in_blocks(me_, offset + cut, n - cut, meet);
        in_blocks(me_, offset, cut, meet);
        met += n;
      }
    }
    if (prefix >= ranks_) me_.unsent.set(0);
    return met;
  }

  template <class Sample>
  void sample_conflicts(const Sample& sample) const {
    const array& a = arrays_[0];
    std::size_t taken = 0;
    for (std::size_t j = turn_ * 7 % 64; j < std::min(a.work.size(), frequent_) && taken < 8; j += 61) {
      if (a.work[j] == a.base[j]) continue;
      sample(a.shared.load(j) != a.base[j]);
      ++taken;
    }
  }

  worker_slot& me_;
  std::size_t place_;
  std::vector<parameter_group> groups_;
  std::vector<array> arrays_;
  neighbours* others_;
  std::size_t frequent_;
  column_range own_{};
  std::size_t ranks_ = 0, widest_ = 1;
  std::size_t period_ = 0, rows_ = 0;
  std::uint64_t turn_ = 0;
  T share_ = T(1), state_share_ = T(1);
};

}  // namespace hogwild
