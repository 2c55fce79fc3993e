// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/search.hpp>

namespace hogwild::cli {

/// How a search has ended.
struct search_end {
  bool finished = false;  ///< false where it was stopped
  bool found = false;     ///< whether there is a best trial
};

/// Divides trials among ranks. The first rank runs the search and calls train(); the others, which plan the same
/// trials, call serve() and train those of their own. A trial stays with its rank, which holds its parameters: so no
/// parameters are sent. Its metric does not depend on which rank that is.
///
/// In a process that is alone it passes everything to `own`.
class rank_trainer final : public trial_trainer {
 public:
  /// `trials` are all of the search, untrained; `own` trains those of this rank, and `forget` drops the state of one of
  /// them. `ranks` and `own` must outlive this.
  rank_trainer(ranks_at_work& ranks, std::span<const trial> trials, trial_trainer& own,
               std::function<void(std::size_t trial)> forget);

  /// As in trial_trainer; also throws rank_failure.
  void train(std::span<trial* const> some, std::size_t epochs) override;
  std::size_t at_once(const trial& t) const override;
  /// This trial will get no more epochs: its rank drops it before it trains again.
  void forget(std::size_t trial);
  /// Tells the other ranks how the search has ended; the last call on the first rank.
  void end(const search_end& how);

  /// Trains by the first rank's orders, until that calls end(), and returns its argument. `trained` is called whenever
  /// trials have been trained. Throws rank_failure.
  search_end serve(const std::function<void()>& trained);

 private:
  struct order;
  std::size_t rank_of(std::size_t trial) const;
  void carry_out(const order& given, std::span<trial* const> results);

  ranks_at_work& ranks_;
  std::vector<trial> trials_;  ///< this rank's copies; it does not train those of other ranks
  trial_trainer& own_;
  std::function<void(std::size_t)> forget_;
  std::vector<double> forgotten_{};  ///< not yet sent
};

}  // namespace hogwild::cli
