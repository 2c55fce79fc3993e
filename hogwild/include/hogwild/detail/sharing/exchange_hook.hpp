// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hogwild {

/// The parameters for which rows have gathered gains since it was cleared: as many as there is room for, some perhaps
/// twice. Belongs to one worker.
class touched_list {
 public:
  /// Room for `most` notes.
  explicit touched_list(std::size_t most = 0) : index_(most) {}

  /// Whether everything was noted, with no overflow.
  bool is_complete() const { return !overflown_; }
  std::span<const std::uint32_t> notes() const { return {index_.data(), count_}; }
  void clear() {
    count_ = 0;
    overflown_ = false;
  }

  void note(std::size_t j) {
    overflown_ = overflown_ || count_ == index_.size();
    if (!overflown_) index_[count_++] = static_cast<std::uint32_t>(j);
  }
  /// Notes those of a row's columns for which nothing has been gathered yet. Notes nothing if the columns might exceed
  /// the room.
  template <class Index, class T>
  void note_new(std::span<const Index> columns, const T* gains) {
    overflown_ = overflown_ || index_.size() - count_ < columns.size();
    if (overflown_) return;
    // Without a branch, which would be unpredictable.
    std::size_t n = count_;
    for (const Index j : columns) {
      index_[n] = j;
      n += gains[j] == T(0);
    }
    count_ = n;
  }

 private:
  std::vector<std::uint32_t> index_;
  std::size_t count_ = 0;
  bool overflown_ = false;
};

/// How a worker whose shared arrays are one replica of several exchanges with the other replicas. Belongs to one
/// worker.
class exchange_hook {
 public:
  /// Whether the worker, whose period is over, may exchange with the shared arrays now. If not, it trains on and asks
  /// again after a fraction of a period.
  virtual bool may_exchange() { return true; }
  static constexpr std::size_t polls_per_period = 16;
  /// Called when the worker has exchanged with its replica, or trained on it long enough: the replica may now exchange
  /// with others. `bytes`: how much the worker read and wrote for that.
  virtual void exchanged(std::size_t bytes) = 0;
  /// Called when the worker has no more rows in this round.
  virtual void ended() {}
  /// Where the worker notes the parameters for which it gathers gains, so that a meeting need not scan all of them;
  /// null: nowhere.
  virtual touched_list* touched() { return nullptr; }
  /// In lockstep, if the gathered gains are summed: from now on the sums are not added to the parameters. Instead
  /// by(to, 1 / rows, part, position) is called with the sums in the array of gains, which it has to clear. `rows`:
  /// rows in the sums; `part`: divided by the rows of the round's fullest meeting; `position`: position in the round.
  using sum_receiver = void (*)(void* to, double gain_weight, double part, double position);
  virtual void set_sum_receiver(void*, sum_receiver) {}
  /// In lockstep: from now on by(to, changed) is called when the sums have been added to the parameters, with the
  /// numbers of parameters that may have changed, some perhaps twice; empty: any may have changed.
  using change_receiver = void (*)(void* to, std::span<const std::uint32_t> changed);
  virtual void set_change_receiver(void*, change_receiver) {}

 protected:
  ~exchange_hook() = default;
};

}  // namespace hogwild
