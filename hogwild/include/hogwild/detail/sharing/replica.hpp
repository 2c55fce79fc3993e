// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/in_blocks.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// One worker's replica of the shared arrays (parameters, then optimiser state), and when it exchanges how much of it.
///
/// Columns are ranked by frequency, so that most of what a worker changes lies in a short prefix. Like the marks of a
/// ruler, every exchange covers a short prefix of the columns, every second one twice as many, every fourth four times
/// as many, until all are covered: popular columns travel each time, rare ones logarithmically rarely. Groups that are
/// not ordered by popularity travel whole each time.
///
/// Columns of a single row need no exchange: whoever holds the chunk with that row loads them before it and stores them
/// after it; nobody else has a use for them.
///
/// An exchange never waits: it adds what was gained since the last one and reads what is there. Belongs to one worker.
template <parameter T, class Update>
class replica {
 public:
  /// `groups` say which parts of the arrays are ordered by popularity; of these, at most the first `head` parameters
  /// are held. Positions from `first_singleton` on are those of columns of a single row, each touched by that row
  /// alone; no_singletons where a row may touch others. `hook`: whom to tell of each exchange.
  replica(const param_store& store, std::size_t slot, worker_memory& memory, std::vector<parameter_group> groups,
          std::size_t head, std::size_t first_singleton, exchange_hook* hook = nullptr)
      : me_(store.slots()[slot]),
        place_(place_of(slot)),
        groups_(std::move(groups)),
        hook_(hook),
        first_singleton_(first_singleton) {
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
      columns_ = std::max(columns_, std::min({g.rows, first_singleton_, (held - g.offset + g.width - 1) / g.width}));
    }
  }

  std::span<T> values(std::size_t k) const { return arrays_[k].work; }

  /// Fetches everything: what the others did between the rounds, and the coordinator (a fold, say).
  void begin_round(const round_plan& round) {
    for (const array& a : arrays_) {
      for (const parameter_group& g : groups_) {
        const auto [offset, n] = part_of(g, first_singleton_);
        in_blocks(me_, offset, n, [&a](std::size_t first, std::size_t size) {
          a.shared.fetch(first, a.work.subspan(first, size), a.base.subspan(first, size));
        });
      }
    }
    period_ = round.exchange_rows;
    gain_weight_ = static_cast<T>(round.gain_weight);
    state_gain_weight_ = static_cast<T>(round.state_gain_weight);
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
    if (hook_ != nullptr && !hook_->may_exchange()) {
      rows_ = period_ - std::max<std::size_t>(period_ / exchange_hook::polls_per_period, 1);
      return;
    }
    rows_ = 0;
    ++turn_;
    if (probe.due_at_exchange()) probe.file_exchange([this](auto&& sample) { this->sample_conflicts(sample); });
    const std::size_t met = send(ruler_prefix(turn_, widest_), false);
    if (hook_ != nullptr) hook_->exchanged(2 * met * sizeof(T));
  }

  /// Sends everything that is left; what the others sent is fetched when the next round begins.
  void end_round() { send(columns_, true); }

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
  T gain_weight_of(std::size_t k) const { return k == 0 ? gain_weight_ : state_gain_weight_; }

  struct part {
    std::size_t offset, size;
  };

  /// What is held of a group, and of one that is ordered by popularity no columns but the first `columns`.
  part part_of(const parameter_group& g, std::size_t columns) const {
    const std::size_t held = arrays_[0].work.size(), offset = std::min(g.offset, held);
    const std::size_t rows = g.hot_first ? std::min(g.rows, columns) : g.rows;
    return {offset, std::min(rows * g.width, held - offset)};
  }

  template <class Visit>
  void for_own_values(const Visit& visit) const {
    for (const array& a : arrays_) {
      for_singleton_parameters(own_, first_singleton_, groups_, a.work.size(), [&](std::size_t offset, std::size_t n) {
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
        const auto [offset, n] = part_of(g, std::min(prefix, first_singleton_));
        // Two workers that walk along the same lines side by side would overtake each other's adds.
        const std::size_t cut = n * place_ / places / 16 * 16;
        const T gain_weight = gain_weight_of(k);
        const auto meet = [&](std::size_t first, std::size_t size) {
          const std::span<T> work = a.work.subspan(first, size), base = a.base.subspan(first, size);
          last ? a.shared.send(first, work, base, gain_weight) : a.shared.exchange(first, work, base, gain_weight);
        };
        in_blocks(me_, offset + cut, n - cut, meet);
        in_blocks(me_, offset, cut, meet);
        met += n;
      }
    }
    if (prefix >= columns_) me_.unsent.set(0);
    return met;
  }

  template <class Sample>
  void sample_conflicts(const Sample& sample) const {
    const array& a = arrays_[0];
    std::size_t taken = 0;
    for (std::size_t j = turn_ * 7 % 64; j < std::min(a.work.size(), first_singleton_) && taken < 8; j += 61) {
      if (a.work[j] == a.base[j]) continue;
      sample(a.shared.load(j) != a.base[j]);
      ++taken;
    }
  }

  worker_slot& me_;
  std::size_t place_;
  std::vector<parameter_group> groups_;
  std::vector<array> arrays_;
  exchange_hook* hook_;
  std::size_t first_singleton_;
  column_range own_{};
  std::size_t columns_ = 0, widest_ = 1;
  std::size_t period_ = 0, rows_ = 0;
  std::uint64_t turn_ = 0;
  T gain_weight_ = T(1), state_gain_weight_ = T(1);
};

}  // namespace hogwild
