// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/rank_failure.hpp>

namespace hogwild {

/// The items that each rank works on: the first ones on rank 0, the next on rank 1, and so on. The ranks' numbers of
/// items differ by one at most.
struct rank_portions {
  std::size_t ranks = 1, all = 0;

  std::size_t first_of(std::size_t rank) const { return (all * rank + ranks - 1) / ranks; }
  std::size_t count_of(std::size_t rank) const { return first_of(rank + 1) - first_of(rank); }
  std::size_t rank_of(std::size_t k) const { return k * ranks / all; }
};

/// The processes of one search, or of several models that are divided among them, each with the whole of the data. They
/// work independently, and meet meanwhile, so that they notice a rank that dies, stop if one is asked to stop, and end
/// their work if one fails. Used by one thread of each rank; all ranks make the same calls. Besides the errors named
/// below, calls throw worker_error, with the rank's number, if a rank does not come to a meeting within the time of the
/// group.
class ranks_at_work {
 public:
  /// `ranks` outlives this; null: this process is alone. `asked`: this rank's stop token.
  ranks_at_work(collective* ranks, std::stop_token asked);
  ~ranks_at_work();
  ranks_at_work(const ranks_at_work&) = delete;
  ranks_at_work& operator=(const ranks_at_work&) = delete;

  std::size_t rank() const noexcept { return agreed_.rank(); }
  std::size_t size() const noexcept { return agreed_.size(); }
  bool alone() const noexcept { return size() == 1; }
  /// For communication between the ranks; not in a process that is alone.
  collective& all() { return *ranks_; }
  const agreement& agreed() const noexcept { return agreed_; }

  /// Requested once any rank has been asked to stop, or has failed, and they have met since. It changes only in
  /// together(), for all ranks in the same call.
  std::stop_token stop() const { return alone() ? asked_ : stop_.get_token(); }
  /// Acts like a stop request to this rank; any thread may call it. No effect in a process that is alone.
  void ask_all_to_stop() noexcept { asks_ = true; }

  /// Calls `work`, which may differ between ranks, in a thread that does all of this rank's work, and returns when it
  /// has ended on all of them. Throws rank_failure if it has thrown on any; in a process that is alone, what it throws.
  void together(const std::function<void()>& work);

  /// Calls `work` in the caller's thread, as observers may require; the others wait for it. Throws what it has thrown
  /// here unchanged, and rank_failure if it has thrown on other ranks only.
  void in_this_thread(const std::function<void()>& work);

  /// On all ranks x[k] becomes the x[k] of rank rank_of(k), to the bit. All ranks pass equally many.
  template <class T, class RankOf>
  void exchange(std::span<T> x, const RankOf& rank_of) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
    if (alone() || x.empty()) return;
    const std::size_t bytes = x.size_bytes();
    const std::vector<double> all = gathered(std::as_bytes(x));
    for (std::size_t k = 0; k < x.size(); ++k)
      std::memcpy(static_cast<void*>(&x[k]),
                  reinterpret_cast<const std::byte*>(all.data()) + rank_of(k) * bytes + k * sizeof(T), sizeof(T));
  }
  /// x becomes the first rank's x, to the bit.
  template <class T>
  void take_first(T& x) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
    if (alone()) return;
    std::array<double, sizeof(T) / sizeof(double)> numbers;
    std::memcpy(numbers.data(), &x, sizeof x);
    agreed_.take_first(numbers);
    std::memcpy(static_cast<void*>(&x), numbers.data(), sizeof x);
  }

 private:
  class work_thread;
  std::vector<double> gathered(std::span<const std::byte> mine) const;
  rank_failure failure_of(std::size_t rank, exit_code code, const std::string& sentence) const;
  std::string sentence_of(std::size_t root, const std::string& mine) const;

  collective* ranks_;
  agreement agreed_;
  std::stop_token asked_;
  std::stop_source stop_{};
  std::atomic<bool> asks_ = false;
  std::unique_ptr<work_thread> own_{};  ///< made when there is work
};

}  // namespace hogwild
