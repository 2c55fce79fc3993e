// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace hogwild::cli {

/// Progress of this process with the current trials, in epochs of a trial on one part of the rows. Trainers write it
/// while a display reads it: its numbers may be from two moments.
class search_pace {
 public:
  void begin(std::size_t all) {
    done_ = 0;
    all_ = all;
  }
  void add(std::size_t epochs) { done_ += epochs; }
  /// There are no current trials.
  void end() { all_ = 0; }

  std::size_t done() const { return done_; }
  std::size_t all() const { return all_; }

 private:
  std::atomic<std::size_t> done_ = 0, all_ = 0;
};

}  // namespace hogwild::cli
