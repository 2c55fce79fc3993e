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

}  // namespace hogwild
