// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/error.hpp>

namespace hogwild::cli {

/// What one rank could not do: all of them throw the same, which names it.
struct rank_failure : error {
  using error::error;
};

/// The processes of one search, each with the whole of the data. They work by themselves for as long as it takes, and
/// meet meanwhile: so a rank that dies is noticed, one that is asked to stop stops all, and one that fails ends the
/// work of the others. Used by one thread of each rank; all ranks make the same calls. Besides what is said below,
/// calls throw worker_error, with the rank's number, where a rank does not come to a meeting within the time of the
/// group.
class search_ranks {
 public:
  /// `ranks` outlives this; null: this process searches alone. `asked` is of this rank.
  search_ranks(collective* ranks, std::stop_token asked) : ranks_(ranks), asked_(std::move(asked)) {}

  std::size_t rank() const noexcept { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  std::size_t size() const noexcept { return ranks_ == nullptr ? 1 : ranks_->size(); }
  bool alone() const noexcept { return size() == 1; }
  /// For what they tell each other; not of a process that is alone.
  collective& all() { return *ranks_; }

  /// Requested once any rank has been asked to stop, or has failed, and they have met since.
  std::stop_token stop() const { return alone() ? asked_ : stop_.get_token(); }

  /// Calls `work`, which may be another thing on each rank, in a thread of its own, and returns when it is over on all
  /// of them. Throws rank_failure where it has thrown on any; of a process that is alone, what it throws.
  void together(const std::function<void()>& work);

  /// Throws rank_failure, an error of input that says `otherwise`, unless all ranks have the text of the first.
  void require_same(std::string_view text, const std::string& otherwise);

 private:
  collective* ranks_;
  std::stop_token asked_;
  std::stop_source stop_{};
};

}  // namespace hogwild::cli
