// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/control/worker_slot.hpp>

namespace hogwild {

/// Reads through another reader and remembers a few of the values, to see later whether they were unchanged at the time
/// of the add. It remembers the first reads after a random number of skipped ones, eight at most: few enough to search
/// them at every add.
template <class Reader>
class recording_reader {
 public:
  using value_type = typename Reader::value_type;

  recording_reader(const Reader& reader, std::size_t skip) : reader_(reader), skip_(skip) {}

  std::size_t size() const { return reader_.size(); }
  value_type operator[](std::size_t j) const {
    const value_type value = reader_[j];
    remember(j, value);
    return value;
  }
  auto block(std::size_t offset, std::size_t n) const {
    const auto run = reader_.block(offset, n);
    if (n > 0) remember(offset, run[0]);
    return run;
  }

  /// Counts an add to j that started from `before`, if j was remembered.
  void note_add(std::size_t j, value_type before, std::uint64_t& samples, std::uint64_t& conflicts) const {
    for (std::size_t i = 0; i < taken_; ++i) {
      if (seen_[i].j != j) continue;
      ++samples;
      conflicts += seen_[i].value != before;
      return;
    }
  }

 private:
  struct read {
    std::size_t j;
    value_type value;
  };
  void remember(std::size_t j, value_type value) const {
    if (skip_ > 0) {
      --skip_;
    } else if (taken_ < seen_.size()) {
      seen_[taken_++] = {j, value};
    }
  }

  const Reader& reader_;
  mutable std::size_t skip_;
  mutable std::size_t taken_ = 0;
  mutable std::array<read, 8> seen_;
};

/// Samples one row in `period`; for replicas, the first exchange of a round and every eighth after it; for virtual
/// workers, every turn. Records how stale an update was and whether others had written what it read. Made anew for each
/// round, before the worker reads anything. Belongs to one worker; writes only that worker's slot.
class race_probe {
 public:
  static constexpr std::uint64_t period = 1024;

  race_probe(std::span<worker_slot> slots, std::size_t self, bool enabled)
      : slots_(slots), self_(self), enabled_(enabled), rows_seen_(enabled ? rows_of_others() : 0) {}

  bool due(std::uint64_t row) const { return enabled_ && row % period == period / 2; }

  /// Whether this exchange of a replica is sampled: the first, since there may be few, and then one in eight.
  bool due_at_exchange() {
    if (!enabled_) return false;
    if (++turn_ % 8 == 0) rows_seen_ = rows_of_others();
    return turn_ % 8 == 1;
  }

  /// Records an exchange: the number of rows that others did since the previous one (or the round's start), and for
  /// some of the parameters that are sent, whether another worker wrote them since this one read them.
  /// `samples(sample)` calls sample(changed) for each.
  template <class Samples>
  void file_exchange(const Samples& samples) {
    std::uint64_t taken = 0, changed = 0;
    samples([&](bool by_others) { ++taken, changed += by_others; });
    file(rows_of_others() - rows_seen_, taken, changed);
  }

  /// Records a turn of a virtual worker, in which others trained this many rows and nobody wrote what it read.
  void file_turn(std::uint64_t rows_of_others) {
    if (enabled_) file(rows_of_others, 1, 0);
  }

  /// Runs row(reader, note), where note(j, before) is to be called after each add, and records what was sampled.
  template <class Reader, class Row>
  bool watch(const Reader& reader, std::size_t row_size, const Row& row) {
    const recording_reader<Reader> recorder(reader, row_size < 8 ? 0 : ++turn_ * 7 % (row_size - 7));
    std::uint64_t samples = 0, conflicts = 0;
    const std::uint64_t before = rows_of_others();
    const bool changed = row(recorder, [&](std::size_t j, typename Reader::value_type started_from) {
      recorder.note_add(j, started_from, samples, conflicts);
    });
    if (changed) file(rows_of_others() - before, samples, conflicts);
    return changed;
  }

 private:
  std::uint64_t rows_of_others() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (i != self_) sum += slots_[i].rows.get();
    }
    return sum;
  }
  void file(std::uint64_t stale_rows, std::uint64_t samples, std::uint64_t conflicts) {
    worker_slot& me = slots_[self_];
    me.staleness[staleness_histogram::bucket(stale_rows)].raise(1);
    me.conflict_samples.raise(samples);
    me.conflicts.raise(conflicts);
  }

  std::span<worker_slot> slots_;
  std::size_t self_;
  bool enabled_;
  std::size_t turn_ = 0;
  std::uint64_t rows_seen_;  ///< rows of others when the replica took over their gains
};

}  // namespace hogwild
