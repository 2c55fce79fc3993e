// SPDX-License-Identifier: Apache-2.0
#include <hogwild/search.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/search/journal.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr std::size_t most_trials = 1'000'000, most_search_epochs = 1'000'000;

/// The epochs of this trial, if the space names them.
std::size_t epochs_of(const configuration& options, std::size_t otherwise) {
  const auto named = std::ranges::find(options, "epochs", &given_option::name);
  if (named == options.end()) return otherwise;
  std::size_t epochs = 0;
  const char* const end = named->text.data() + named->text.size();
  const auto [rest, fault] = std::from_chars(named->text.data(), end, epochs);
  if (fault != std::errc{} || rest != end || epochs == 0 || epochs > most_search_epochs)
    throw config_error("the space of 'epochs' has the value " + quote(named->text) +
                       ": it is of whole numbers from 1 to " + std::to_string(most_search_epochs));
  return epochs;
}

/// Lower metrics first; among equal ones the earlier trial.
bool is_better(const trial* a, const trial* b) {
  return std::tie(a->metric, a->number) < std::tie(b->metric, b->number);
}

class searching {
 public:
  searching(const search_space& space, const search_options& options, trial_trainer& trainer,
            const search_callback& told)
      : options_(options), trainer_(trainer), told_(told), brackets_(plan_search(space, options)) {
    result_.trials = plan_trials(space, options);
    if (!options.journal.empty())
      journal_ = std::make_unique<detail::search_journal>(options.journal, detail::journal_title(space, options));
  }

  search_result operator()() {
    result_.finished = true;
    for (std::size_t b = 0; result_.finished && b < brackets_.size(); ++b) result_.finished = run_bracket(b);
    if (const trial* const best = best_of(result_.trials)) result_.best = best->number;
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }

  bool run_bracket(std::size_t b) {
    std::vector<trial*> left;
    for (trial& t : result_.trials)
      if (t.bracket == b) left.push_back(&t);
    const std::vector<search_rung>& rungs = brackets_[b].rungs;
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      const bool last = i + 1 == rungs.size();
      if (!run_rung(left, rungs[i].epochs, last)) return false;
      if (!last) keep_best(left, rungs[i + 1].trials);
    }
    return true;
  }

  /// Trials that are trained together: with the same number of epochs and the same limit on how many at once.
  struct alike {
    std::size_t epochs, most;
    std::vector<trial*> trials{};
  };

  /// Trains one group of alike trials after another, in the order of their first trials.
  bool run_rung(const std::vector<trial*>& some, std::size_t epochs, bool last) {
    std::vector<alike> groups;
    for (trial* const t : some) {
      const std::size_t own = epochs_of(t->options, epochs), most = std::max<std::size_t>(trainer_.at_once(*t), 1);
      auto group = std::ranges::find_if(groups, [&](const alike& g) { return g.epochs == own && g.most == most; });
      if (group == groups.end()) group = groups.insert(groups.end(), {own, most});
      group->trials.push_back(t);
    }
    for (const alike& g : groups) {
      for (std::size_t first = 0; first < g.trials.size();) {
        const std::size_t count = std::min(g.most, g.trials.size() - first);
        if (!run_group(std::span(g.trials).subspan(first, count), g.epochs, last)) return false;
        first += count;
      }
    }
    return true;
  }

  /// False if the search ends with it.
  bool run_group(std::span<trial* const> group, std::size_t epochs, bool last) {
    std::vector<trial*> missing;
    for (trial* const t : group) {
      const auto known = journal_ ? journal_->find(t->number, epochs) : std::nullopt;
      if (known)
        take(*t, epochs, *known, last);
      else
        missing.push_back(t);
    }
    result_.replayed += group.size() - missing.size();
    bool whole = true;
    if (!missing.empty()) {
      if (options_.stop.stop_requested()) return false;
      trainer_.train(missing, epochs);
      for (trial* const t : missing) {
        const bool diverged = t->epochs > 0 && !std::isfinite(t->metric);
        if (t->epochs < epochs && !diverged) {
          whole = false;
          continue;
        }
        take(*t, epochs, t->metric, last);
        if (journal_) journal_->add(t->number, epochs, t->metric);
        ++result_.trained;
      }
    }
    const search_progress now{.trials = result_.trials, .best = best_of(result_.trials), .seconds = seconds()};
    const bool goes_on = !told_ || told_(now) == observer_answer::go_on;
    return whole && goes_on;
  }

  static void take(trial& t, std::size_t epochs, double metric, bool last) {
    t.epochs = epochs;
    t.metric = std::isfinite(metric) ? metric : std::numeric_limits<double>::infinity();
    t.measured.push_back({.epochs = epochs, .metric = t.metric});
    if (!std::isfinite(metric))
      t.state = trial_state::diverged;
    else if (last)
      t.state = trial_state::done;
  }

  static void keep_best(std::vector<trial*>& left, std::size_t most) {
    std::erase_if(left, [](const trial* t) { return t->state == trial_state::diverged; });
    std::ranges::sort(left, is_better);
    for (std::size_t k = most; k < left.size(); ++k) left[k]->state = trial_state::stopped;
    left.resize(std::min(most, left.size()));
    std::ranges::sort(left, {}, &trial::number);
  }

  const search_options& options_;
  trial_trainer& trainer_;
  const search_callback& told_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::vector<search_bracket> brackets_;
  std::unique_ptr<detail::search_journal> journal_;
  search_result result_{};
};

}  // namespace

std::string_view to_string(trial_state state) {
  switch (state) {
    case trial_state::waiting:
      return "waiting";
    case trial_state::stopped:
      return "stopped";
    case trial_state::diverged:
      return "diverged";
    case trial_state::done:
      break;
  }
  return "done";
}

const trial* best_of(std::span<const trial> trials) {
  const trial* best = nullptr;
  for (const trial& t : trials) {
    if (!std::isfinite(t.metric)) continue;
    const auto reached = [](const trial& of) {
      return of.state == trial_state::done ? most_search_epochs + 1 : of.epochs;
    };
    if (best == nullptr || reached(t) > reached(*best) || (reached(t) == reached(*best) && is_better(&t, best)))
      best = &t;
  }
  return best;
}

std::vector<search_bracket> plan_search(const search_space& space, const search_options& options) {
  const bool halves = options.strategy == strategy_kind::halving || options.strategy == strategy_kind::hyperband;
  if (options.epochs == 0 || options.epochs > most_search_epochs)
    throw config_error("a search has from 1 to " + std::to_string(most_search_epochs) + " epochs");
  if (options.trials == 0 || options.trials > most_trials)
    throw config_error("a search has from 1 to " + std::to_string(most_trials) + " configurations");
  if (halves && options.eta < 2) throw config_error("eta is what the number of trials is divided by: 2 or more");
  if (halves && space.has("epochs"))
    throw config_error("the strategy " + std::string(name_of(options.strategy)) +
                       " deals out epochs itself: leave them out of the space, or take the strategy random or grid");
  switch (options.strategy) {
    case strategy_kind::grid:
      return {whole_bracket(space.grid_points(), options.epochs)};
    case strategy_kind::random:
      return {whole_bracket(options.trials, options.epochs)};
    case strategy_kind::halving:
      return {halving_bracket(options.trials, options.epochs, options.eta)};
    case strategy_kind::hyperband:
      break;
  }
  std::vector<search_bracket> brackets = hyperband_brackets(options.epochs, options.eta);
  std::size_t trials = 0;
  for (const search_bracket& b : brackets) trials += b.rungs.front().trials;
  if (trials > most_trials)
    throw config_error("hyperband over " + std::to_string(options.epochs) + " epochs begins with " +
                       std::to_string(trials) + " trials: take fewer epochs");
  return brackets;
}

std::vector<trial> plan_trials(const search_space& space, const search_options& options) {
  std::vector<trial> all;
  const bool grid = options.strategy == strategy_kind::grid;
  const std::vector<search_bracket> brackets = plan_search(space, options);
  for (std::size_t b = 0; b < brackets.size(); ++b) {
    for (std::size_t k = 0; k < brackets[b].rungs.front().trials; ++k) {
      const std::size_t number = all.size();
      all.push_back({.number = number,
                     .options = grid ? space.grid_point(number) : space.drawn_point(options.seed, number),
                     .bracket = b});
      epochs_of(all.back().options, options.epochs);  // throws now, not after an hour
    }
  }
  return all;
}

search_result run_search(const search_space& space, const search_options& options, trial_trainer& trainer,
                         const search_callback& told) {
  return searching(space, options, trainer, told)();
}

}  // namespace hogwild
