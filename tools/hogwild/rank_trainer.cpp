// SPDX-License-Identifier: Apache-2.0
#include "rank_trainer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace hogwild::cli {

/// The first rank's order, as the numbers that groups exchange.
struct rank_trainer::order {
  struct heading {
    double goes_on = 0.0;
    double epochs = 0.0;  ///< up to which trials are to be trained
    double trials = 0.0, forgotten = 0.0;
    double finished = 0.0, found = 0.0;  ///< at the end of the search
  };
  static constexpr std::size_t numbers_of_heading = sizeof(heading) / sizeof(double);

  heading head{};
  std::vector<double> numbers{}, trained{}, forgotten{};  ///< trials, the present epochs of each, and dropped trials

  /// Replaces the other ranks' order by the first rank's.
  void broadcast(collective& ranks) {
    ranks.broadcast(std::span<double>(&head.goes_on, numbers_of_heading), 0);
    numbers.resize(static_cast<std::size_t>(head.trials));
    trained.resize(numbers.size());
    forgotten.resize(static_cast<std::size_t>(head.forgotten));
    for (std::vector<double>* part : {&numbers, &trained, &forgotten})
      if (!part->empty()) ranks.broadcast(std::span<double>(*part), 0);
  }
};

rank_trainer::rank_trainer(ranks_at_work& ranks, std::span<const trial> trials, trial_trainer& own,
                           std::function<void(std::size_t)> forget)
    : ranks_(ranks), trials_(trials.begin(), trials.end()), own_(own), forget_(std::move(forget)) {}

/// Ranks in turn, shifted by one each time round: otherwise grid values that repeat with the number of ranks would all
/// go to the same rank.
std::size_t rank_trainer::rank_of(std::size_t trial) const {
  return (trial + trial / ranks_.size()) % ranks_.size();
}

std::size_t rank_trainer::at_once(const trial& t) const {
  const std::size_t each = std::max<std::size_t>(own_.at_once(t), 1), most = std::numeric_limits<std::size_t>::max();
  return each > most / ranks_.size() ? most : each * ranks_.size();
}

void rank_trainer::forget(std::size_t trial) {
  if (rank_of(trial) == ranks_.rank())
    forget_(trial);
  else
    forgotten_.push_back(static_cast<double>(trial));
}

void rank_trainer::train(std::span<trial* const> some, std::size_t epochs) {
  if (ranks_.alone()) return own_.train(some, epochs);
  order given{.head = {.goes_on = 1.0, .epochs = static_cast<double>(epochs)}};
  for (const trial* t : some) {
    given.numbers.push_back(static_cast<double>(t->number));
    given.trained.push_back(static_cast<double>(t->epochs));
  }
  given.forgotten = std::exchange(forgotten_, {});
  given.head.trials = static_cast<double>(given.numbers.size());
  given.head.forgotten = static_cast<double>(given.forgotten.size());
  given.broadcast(ranks_.all());
  carry_out(given, some);
}

search_end rank_trainer::serve(const std::function<void()>& trained) {
  for (;;) {
    order given;
    given.broadcast(ranks_.all());
    if (given.head.goes_on == 0.0) return {.finished = given.head.finished != 0.0, .found = given.head.found != 0.0};
    carry_out(given, {});
    trained();
  }
}

/// `results` are the trials of the order, on the first rank.
void rank_trainer::carry_out(const order& given, std::span<trial* const> results) {
  for (const double number : given.forgotten)
    if (const auto k = static_cast<std::size_t>(number); rank_of(k) == ranks_.rank()) forget_(k);
  const auto epochs = static_cast<std::size_t>(given.head.epochs);
  std::vector<trial*> mine;
  for (std::size_t i = 0; i < given.numbers.size(); ++i) {
    trial& t = trials_[static_cast<std::size_t>(given.numbers[i])];
    if (rank_of(t.number) != ranks_.rank()) continue;
    t.epochs = static_cast<std::size_t>(given.trained[i]);
    mine.push_back(&t);
  }
  ranks_.together([&] {
    for (std::span<trial* const> left = mine; !left.empty() && !ranks_.stop().stop_requested();) {
      const std::size_t most = std::max<std::size_t>(own_.at_once(*left.front()), 1);
      const std::size_t count = std::min(most, left.size());
      own_.train(left.first(count), epochs);
      left = left.subspan(count);
    }
  });
  // Epochs and metric of each, from the rank that has trained it.
  const std::size_t numbers = 2 * given.numbers.size();
  std::vector<double> told(numbers), all(results.empty() ? 0 : numbers * ranks_.size());
  for (std::size_t i = 0; i < given.numbers.size(); ++i) {
    const trial& t = trials_[static_cast<std::size_t>(given.numbers[i])];
    told[2 * i] = static_cast<double>(t.epochs);
    told[2 * i + 1] = t.metric;
  }
  ranks_.all().gather(std::span<const double>(told), std::span<double>(all), 0);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double* const of_trial = &all[rank_of(results[i]->number) * numbers + 2 * i];
    const auto reached = static_cast<std::size_t>(of_trial[0]);
    if (reached == results[i]->epochs) continue;  // cut short; only the journal may know its earlier results
    results[i]->epochs = reached;
    results[i]->metric = of_trial[1];
  }
}

void rank_trainer::end(const search_end& how) {
  if (ranks_.alone()) return;
  order last{.head = {.finished = how.finished ? 1.0 : 0.0, .found = how.found ? 1.0 : 0.0}};
  last.broadcast(ranks_.all());
}

}  // namespace hogwild::cli
