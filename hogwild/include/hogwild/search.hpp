// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/search/brackets.hpp>
#include <hogwild/detail/search/search_space.hpp>
#include <hogwild/observer.hpp>

// A search of hyper-parameters: which points of a space are tried, for how many epochs, and what is left of them. Who
// trains a trial, and measures it, stands behind trial_trainer.

namespace hogwild {

enum class trial_state {
  waiting,   ///< to be trained, or trained further
  stopped,   ///< others were better, so that it is not trained further
  diverged,  ///< its metric is not finite
  done       ///< trained to its end
};

std::string_view to_string(trial_state state);

/// The metric of a trial after some of its epochs.
struct trial_result {
  std::size_t epochs = 0;  ///< in all
  double metric = 0.0;     ///< after these epochs; infinite where it diverged

  bool operator==(const trial_result&) const = default;
};

/// A point of the space that is tried. A plain value.
struct trial {
  std::size_t number = 0;                                   ///< from 0; with seed and space it says the point
  configuration options{};                                  ///< the point
  std::size_t bracket = 0;                                  ///< which of the strategy's brackets it belongs to
  std::size_t epochs = 0;                                   ///< trained so far
  double metric = std::numeric_limits<double>::infinity();  ///< after these epochs; the lower the better
  trial_state state = trial_state::waiting;                 ///< whether it goes on; if not, why
  std::vector<trial_result> measured{};  ///< one for each rung, the last as `epochs` and `metric`; trainers leave it
};

/// Trains trials, and measures them on rows that it does not train on.
class trial_trainer {
 public:
  virtual ~trial_trainer() = default;

  /// Brings each of these trials up to so many epochs in all, going on from where it stood where it can, and sets its
  /// epochs and its metric: lower is better, so that a measure of which more is better comes with its sign turned. A
  /// trial that diverges gets an infinite metric, and the others do not notice. The same trial has the same metric
  /// whatever other trials it is trained with, or a search does not resume to the same answer.
  ///
  /// Asked to stop meanwhile, it leaves the epochs of a trial that has not come so far as they were: the search ends
  /// then. What it throws leaves run_search(); results that it had returned are in the journal.
  ///
  /// `some` are distinct trials that have the same at_once(), which is the most that they are; they stand until
  /// run_search() returns.
  virtual void train(std::span<trial* const> some, std::size_t epochs) = 0;

  /// The most trials that train() is given together with this one. Results are kept, and told, after each call.
  virtual std::size_t at_once(const trial& /*t*/) const { return std::numeric_limits<std::size_t>::max(); }
};

/// The options of a search.
struct search_options {
  strategy_kind strategy = strategy_kind::random;  ///< which points are tried, and for how long
  std::size_t epochs = 20;                         ///< of a trial that is trained to its end
  std::size_t trials = 16;                         ///< of random and halving; the others say it themselves
  std::size_t eta = 3;                             ///< of halving and hyperband: the best 1 / eta go on; >= 2
  std::uint64_t seed = 1;                          ///< another one draws other points
  /// A file that keeps the results, so that a search that was killed goes on from there; empty: none.
  std::string journal{};
  /// A text of all that results depend on besides space and options: the data, the metric, the options of all trials.
  /// The journal of a search with another text is refused.
  std::string identity{};
  std::stop_token stop{};  ///< a request ends the search after the call of train() at hand
};

/// The state of a search. The spans hold during the callback.
struct search_progress {
  std::span<const trial> trials;  ///< all, those too that nobody has trained yet
  const trial* best = nullptr;    ///< so far, by best_of(); null: none
  double seconds = 0.0;           ///< since run_search() was called
};

/// Is told after each group of results, by the thread that called run_search(); `stop` ends the search.
using search_callback = std::function<observer_answer(const search_progress&)>;

/// The result of a search.
struct search_result {
  std::vector<trial> trials{};        ///< all, in the order of their numbers
  std::optional<std::size_t> best{};  ///< the number of the best one; nothing where none has a finite metric
  bool finished = false;              ///< false where it was stopped before its end
  std::size_t trained = 0;            ///< results that train() gave
  std::size_t replayed = 0;           ///< results that stood in the journal
  double seconds = 0.0;               ///< wall time of the search, in this process
};

/// The best trial: of those that are done the one with the lowest metric; where none is done, of those with most
/// epochs. Of equal ones the first. Null where no metric is finite.
///
/// A trial of few epochs may have a lower metric than all that are done. It is passed over, since what it would come to
/// is not known. (Hyperband's algorithm returns the lowest metric of all.)
const trial* best_of(std::span<const trial> trials);

/// The brackets of a search, in the order in which they are run. Throws config_error for options out of range, and for
/// a space that names `epochs` where the strategy deals those out.
std::vector<search_bracket> plan_search(const search_space& space, const search_options& options);

/// All trials of a search, in the order of their numbers, untrained. Throws config_error as plan_search() does, and
/// where a value of `epochs` is no whole number above 0.
std::vector<trial> plan_trials(const search_space& space, const search_options& options);

/// Searches. Which trials go on follows from the results alone: with the same results, from a journal or from train(),
/// it comes to the same answer. Where the space names the option `epochs`, each trial has its own number of them (grid
/// and random). Throws config_error, what opening the journal throws (see search_options::journal), and what train()
/// and `told` throw.
search_result run_search(const search_space& space, const search_options& options, trial_trainer& trainer,
                         const search_callback& told = {});

}  // namespace hogwild
