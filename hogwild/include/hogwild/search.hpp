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

// A search of hyper-parameters: it decides which points of a space are tried, for how many epochs, and which of them
// go on. A trial_trainer trains and measures the trials.

namespace hogwild {

/// The state of a trial.
enum class trial_state {
  waiting,   ///< to be trained, or trained further
  stopped,   ///< not trained further, since others were better
  diverged,  ///< its metric is not finite
  done       ///< trained for all its epochs
};

/// The name of the value, as records and journals have it.
std::string_view to_string(trial_state state);

/// The metric of a trial after some of its epochs.
struct trial_result {
  std::size_t epochs = 0;  ///< in all
  double metric = 0.0;     ///< after these epochs; infinite if the trial diverged

  bool operator==(const trial_result&) const = default;
};

/// A point of the search space, and how its training went.
struct trial {
  std::size_t number = 0;                                   ///< from 0; determines the point, given seed and space
  configuration options{};                                  ///< the point
  std::size_t bracket = 0;                                  ///< the strategy's bracket that it belongs to
  std::size_t epochs = 0;                                   ///< the number of epochs trained so far
  double metric = std::numeric_limits<double>::infinity();  ///< after these epochs; lower is better
  trial_state state = trial_state::waiting;                 ///< whether it goes on; if not, why
  /// The result at each rung; the last one equals `epochs` and `metric`. Trainers do not change it.
  std::vector<trial_result> measured{};
};

/// Trains trials, and measures them on rows that they are not trained on.
class trial_trainer {
 public:
  virtual ~trial_trainer() = default;

  /// Trains each of these trials until it has `epochs` epochs in all, continuing from its last state if that was kept,
  /// and sets its epochs and metric. A lower metric is better; negate measures for which more is better. A trial that
  /// diverges gets an infinite metric, without effect on the others. The metric of a trial must not depend on the
  /// trials that are trained with it; otherwise a resumed search may give another answer.
  ///
  /// If it is asked to stop meanwhile, it leaves the epochs of unfinished trials unchanged, and the search ends.
  /// run_search() throws what this throws; results of earlier calls are in the journal.
  ///
  /// `some` are distinct trials with the same at_once(), and at most that many. They live until run_search() returns.
  virtual void train(std::span<trial* const> some, std::size_t epochs) = 0;

  /// The most trials in a call of train() with this one. After each call results are written to the journal and
  /// reported to the callback.
  virtual std::size_t at_once(const trial& /*t*/) const { return std::numeric_limits<std::size_t>::max(); }
};

/// The options of a search.
struct search_options {
  strategy_kind strategy = strategy_kind::random;  ///< which points are tried, and for how long
  std::size_t epochs = 20;                         ///< of a trial that is trained to its end
  std::size_t trials = 16;                         ///< for random and halving; other strategies determine it
  std::size_t eta = 3;                             ///< >= 2; for halving and hyperband: the best 1 / eta go on
  std::uint64_t seed = 1;                          ///< for drawing points
  /// The file that keeps the results, from which an interrupted search continues; empty: none.
  std::string journal{};
  /// Names everything that results depend on besides space and options: the data, the metric, the options of all
  /// trials. A journal that was written with another text is refused.
  std::string identity{};
  std::stop_token stop{};  ///< a request ends the search after the present call of train()
};

/// The state of a search. Span and pointer are valid during the callback only.
struct search_progress {
  std::span<const trial> trials;  ///< all, including those not trained yet
  const trial* best = nullptr;    ///< so far, by best_of(); null: none
  double seconds = 0.0;           ///< since run_search() was called
};

/// Called after each call of train(), by the thread that called run_search(). The answer `stop` ends the search.
using search_callback = std::function<observer_answer(const search_progress&)>;

/// The result of a search.
struct search_result {
  std::vector<trial> trials{};        ///< all, in the order of their numbers
  std::optional<std::size_t> best{};  ///< the number of the best one; empty if no metric is finite
  bool finished = false;              ///< false if it was stopped before its end
  std::size_t trained = 0;            ///< results from train()
  std::size_t replayed = 0;           ///< results read from the journal
  double seconds = 0.0;               ///< wall time of the search, in this process
};

/// The trial with the lowest metric among finished trials; if none is finished, among the trials with the most epochs.
/// The first one of equal trials. Null if no metric is finite.
///
/// A trial of few epochs is passed over even if its metric is lower than those of all finished trials, since its final
/// metric is unknown. (Hyperband's algorithm returns the lowest metric of all.)
const trial* best_of(std::span<const trial> trials);

/// The brackets of a search, in the order in which they are run. Throws config_error for options out of range, and if
/// the space names `epochs` although the strategy decides them.
std::vector<search_bracket> plan_search(const search_space& space, const search_options& options);

/// All trials of a search, in the order of their numbers, untrained. Throws config_error as plan_search() does, and if
/// a value of `epochs` is not a whole number above 0.
std::vector<trial> plan_trials(const search_space& space, const search_options& options);

/// Runs a search. The results alone decide which trials go on, so the same results, from a journal or from train(),
/// give the same answer. If the space names the option `epochs`, each trial has its own number of epochs (grid and
/// random). Throws config_error, what opening the journal throws (see search_options::journal), and what train() and
/// `told` throw.
search_result run_search(const search_space& space, const search_options& options, trial_trainer& trainer,
                         const search_callback& told = {});

}  // namespace hogwild
