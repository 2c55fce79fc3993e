// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/run/ranks_at_work.hpp>
#include <hogwild/search.hpp>

namespace hogwild::cli {

/// How a search has ended.
struct search_end {
  bool finished = false;  ///< false where it was stopped
  bool found = false;     ///< whether there is a best trial
};

/// Divides trials among ranks. The first one has the search and calls train(); each of the others, which plan the same
/// trials, calls serve() and trains those of its own. A trial stays with its rank, where what it has learned lies: so
/// no parameters are sent. Which rank that is makes no difference to its metric.
///
/// Of a process that is alone it hands all to `own`.
class rank_trainer final : public trial_trainer {
 public:
  /// `trials` are all of the search, untrained; `own` trains those of this rank, and `forget` gives up what is kept of
  /// one of them. `ranks` and `own` must outlive this.
  rank_trainer(ranks_at_work& ranks, std::span<const trial> trials, trial_trainer& own,
               std::function<void(std::size_t trial)> forget);

  /// As that of trial_trainer, and throws rank_failure.
  void train(std::span<trial* const> some, std::size_t epochs) override;
  std::size_t at_once(const trial& t) const override;
  /// Nobody will ask for more epochs of this trial: its rank forgets it, before it trains again.
  void forget(std::size_t trial);
  /// Tells the others how the search has ended; the last call on the first rank.
  void end(const search_end& how);

  /// Trains what the first rank says, until that has called end(), and returns what it said there. `trained` is called
  /// whenever trials have been. Throws rank_failure.
  search_end serve(const std::function<void()>& trained);

 private:
  struct order;
  std::size_t rank_of(std::size_t trial) const;
  void carry_out(const order& given, std::span<trial* const> results);

  ranks_at_work& ranks_;
  std::vector<trial> trials_;  ///< as this rank knows them; those of others it does not train
  trial_trainer& own_;
  std::function<void(std::size_t)> forget_;
  std::vector<double> forgotten_{};  ///< to be told
};

}  // namespace hogwild::cli
