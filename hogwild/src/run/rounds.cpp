// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/rounds.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/detail/worker/shard_source.hpp>
#include <hogwild/detail/worker/turn_source.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr std::size_t most_rounds_without_progress = 100;  // in a row: more than a series of accidents

/// The slot of the only worker that takes part; none if there are several.
std::uint32_t only_slot(const param_store& store) {
  std::uint32_t found = round_plan::no_slot;
  for (std::size_t i = 0; i < store.slots().size(); ++i) {
    if (store.slots()[i].state.load() != worker_state::active) continue;
    if (found != round_plan::no_slot) return round_plan::no_slot;
    found = static_cast<std::uint32_t>(i);
  }
  return found;
}

/// The end of the slots of the first `workers` that take part.
std::uint32_t end_slot(const param_store& store, std::size_t workers) {
  for (std::size_t i = 0; i < store.slots().size(); ++i)
    if (store.slots()[i].state.load() == worker_state::active && --workers == 0)
      return static_cast<std::uint32_t>(i + 1);
  return round_plan::no_slot;
}

}  // namespace

void open_round(const param_store& store, const chunk_plan& plan, round_plan& round) {
  round.number = store.control().round.number + 1;
  round.only_slot = only_slot(store);
  store.control().round = round;
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < store.counters().size(); ++i) {
    const shard whole = shard::part(plan.count(), shard_id(static_cast<std::uint32_t>(i)), round.shards);
    const std::size_t first = shard_source::part_of(whole, round).first;
    store.counters()[i].open(round.number, round.redo > 0 ? 0 : first);
    drawn += first - whole.first;
  }
  store.control().drawn.open(round.number, drawn);
}

void close_round(const param_store& store, const chunk_plan& plan) {
  const round_plan& round = store.control().round;
  std::size_t drawn = 0;
  for (std::uint32_t s = 0; s < round.shards; ++s) {
    const shard whole = shard::part(plan.count(), shard_id(s), round.shards);
    const shard mine = shard_source::part_of(whole, round);
    store.counters()[s].open(round.number, mine.last);
    drawn += mine.last - whole.first;
    for (std::size_t t = mine.first; t < mine.last; ++t) store.done()[t].raise_to(round.number);
  }
  store.control().drawn.open(round.number, drawn);
}

void require_not_orphaned(const control_block& control) {
  if (control.stop.load() != stop_request::orphaned) return;
  throw worker_error(
      "a worker took this process, which supervises the run, for dead and ended the run; start it again, from its last "
      "checkpoint if there is one");
}

void round_driver::train_epoch(std::size_t epoch, double step, double step_end) {
  // In lockstep the rows of every process shrink the weights of all; otherwise each process shrinks its own, until they
  // are merged.
  const auto own = static_cast<double>(task_.data().rows()), all = static_cast<double>(task_.all_rows());
  const double rows = in_lockstep(plan_.options.sharing) ? all : own, stretch = rows / own;
  round_plan round{
      .pass = epoch,
      .epoch = static_cast<std::uint32_t>(epoch),
      .step = step,
      .step_end = step_end,
      .shards = static_cast<std::uint32_t>(engine_run_.store().shape().shards),
      .exchange_rows = exchanged_after(step),
      .gain_weight = static_cast<float>(gain_weight_now()),
      .workers = static_cast<std::uint32_t>(std::max<std::size_t>(engine_run_.workers(), 1)),
      .state_gain_weight = static_cast<float>(kept_of_state(plan_.options.optimizer, exchanging_workers()))};
  // If only a fraction of the gains is kept, weights must shrink by that fraction, too: otherwise l2 would be too
  // strong.
  const double kept = kept_gain_weight(), mean_step = 0.5 * (step + step_end);
  if (task_.facts().scaled) round.l2.shrink = 1.0 - kept * mean_step * plan_.options.l2;
  if (round.l2.shrink <= 0.0) detail::require_below_one(step * plan_.options.l2);
  if (task_.two_pass_shrink(step) >= 1.0) {
    throw config_error("step * l2 * rows is " + detail::to_short_text(task_.two_pass_shrink(step)) +
                       ": with l2 in two passes it must stay below 1, or a row would reverse the sign of its weights; "
                       "lower the step or l2");
  }
  const auto fold = [this] {
    engine_run_.settle();
    const live_writer::change changing(live_);
    task_.fold(engine_run_.store(), scale_, engine_run_.helpers());
    resume_at(1.0);
  };
  if (scale_ * std::pow(round.l2.shrink, all) < scaled_l2::smallest_scale) fold();
  // Cut into the rounds that observers ask for, and finer if the scale would fall too far in one of those.
  const auto least = static_cast<std::uint32_t>(scaled_l2::parts(round.l2.shrink, all));
  const std::uint32_t cut = std::max(least, trial_ ? trial_->rounds() : 1u);
  const std::uint32_t in_each = (cut + rounds_ - 1) / rounds_;
  round.parts = rounds_ * in_each;

  for (round.part = 0; round.part < round.parts && !stopping(); ++round.part) {
    round.l2.scale = scale_;
    round.l2.position = rows_before(round) * stretch;
    round.l2.stretch = stretch;
    first_of_part_ = engine_run_.store().control().round.number + 1;
    if (trial_) trial_->begin_round();
    run(round);
    round_plan next = round;
    ++next.part;
    const double end = rows_before(next) * stretch;
    const std::optional<double> agreed = engine_run_.scale_after_round();
    const double reached = agreed ? end : std::min(drawn_rows(round), end);
    resume_at(agreed.value_or(round.l2.at(reached)));
    // Each row counts once for l2: a redo round shrinks only by the part that the rounds before it did not reach.
    double due = end - reached;
    std::size_t missing = collect_unfinished(round);
    if (trial_ && missing == 0) trial_->end_round(rows_before(next) - rows_before(round));
    std::size_t without_progress = 0, last_missing = plan_.chunks.count() + 1;
    for (; !stopping() && missing > 0; last_missing = missing, missing = collect_unfinished(round)) {
      without_progress = missing < last_missing ? 0 : without_progress + 1;
      if (without_progress == most_rounds_without_progress) {
        throw worker_error("no worker finishes a chunk any more: " + std::to_string(missing) + " are left in epoch " +
                           std::to_string(epoch) + "; find out what stops the workers");
      }
      const auto redone = static_cast<double>(missing * plan_.chunks.rows_per_chunk());
      round_plan again = round;
      again.redo = static_cast<std::uint32_t>(missing);
      again.l2 = {.scale = scale_,
                  .position = task_.facts().lanes > 0 ? end : 0.0,  // up to here the lanes' own scales have shrunk
                  .shrink = std::exp(std::log(round.l2.shrink) * due / redone)};
      run(again);
      const double gain_weight = std::min(drawn_rows(again) / redone, 1.0);
      resume_at(again.l2.at(gain_weight * redone));
      due *= 1.0 - gain_weight;
    }
    if (least > 1) fold();
    if (next.part % in_each != 0 || !goes_on_ || stopping()) continue;
    if (!goes_on_(next.part / in_each, round.step_at(double(next.part) / round.parts), end)) break;
  }
  // Changes at the gate are kept to the same fraction as changes by rows. The weights of ftrl follow entirely from its
  // sums.
  const bool by_sums = plan_.options.optimizer == optimizer_kind::ftrl;
  task_.settle(engine_run_.store(), epoch, by_sums ? mean_step : mean_step * kept, engine_run_.helpers());
}

void round_driver::run(round_plan round) {
  live_.open(round);
  if (trial_ && trial_->leaves_out()) round.end_slot = end_slot(engine_run_.store(), trial_->workers());
  if (reproducible()) return run_in_turns(round);
  open_round(engine_run_.store(), plan_.chunks, round);
  engine_run_.run_round();
}

// If a worker died, the state of the round is worthless: the round is trained again from its start.
void round_driver::run_in_turns(round_plan round) {
  const param_store& store = engine_run_.store();
  turn_board& board = store.control().board;
  const std::span<std::byte> state = store.state_of_training();
  std::vector<std::byte> before;
  if (!store.name().empty()) before.assign(state.begin(), state.end());
  const shard range = shard_source::part_of({0, plan_.chunks.count()}, round);
  const std::size_t turns = turn_source::turns_of(range, store.shape().replicas);
  for (std::size_t tries = 1;; ++tries) {
    round.first_phase = board.open(static_cast<std::uint32_t>(turns));
    open_round(engine_run_.store(), plan_.chunks, round);
    engine_run_.run_round();
    if (board.is_complete(round.first_phase)) return;
    if (tries == most_rounds_without_progress) {
      throw worker_error("epoch " + std::to_string(round.epoch) + " was begun " + std::to_string(tries) +
                         " times, and each time a worker died or was stopped; find out what stops the workers");
    }
    engine_run_.settle();
    const live_writer::change changing(live_);
    std::ranges::copy(before, state.begin());
    live_.open(round);  // its rows are counted from 0 again
  }
}

// Counts virtual workers if a run must not depend on the number of real ones.
std::size_t round_driver::exchanging_workers() const {
  return std::max<std::size_t>(reproducible() ? exchange_.workers : engine_run_.workers(), 1);
}

// Replicas that average keep only their mean gain.
double round_driver::kept_gain_weight() const {
  const bool averaged = exchange_.replicas > 1 && exchange_.rule != ring_rule::deltas;
  const auto added = static_cast<double>(static_cast<float>(gain_weight_now()));  // rounded as workers have it
  return added / (averaged ? static_cast<double>(exchange_.replicas) : 1.0);
}

// The bound was computed for the expected workers; with guests among them each adds less.
double round_driver::gain_weight_now() const {
  if (reproducible() || in_lockstep(plan_.options.sharing) || exchange_.workers < 2) return exchange_.gain_weight;
  const auto present = static_cast<std::size_t>(std::ranges::count_if(
      engine_run_.store().slots(), [](const worker_slot& s) { return s.state.load() == worker_state::active; }));
  const auto expected = static_cast<double>(exchange_.workers);
  return exchange_.gain_weight * expected / std::max(expected, static_cast<double>(present));
}

std::uint32_t round_driver::exchanged_after(double step) const {
  if (in_lockstep(plan_.options.sharing)) return static_cast<std::uint32_t>(exchange_.rows);
  return exchange_rows(exchange_, step);
}

std::optional<std::string> round_driver::damp_updates(double step) {
  if (in_lockstep(plan_.options.sharing)) return std::nullopt;  // at most a mean is added
  engine_run_.settle();  // a worker stopped in the middle of an exchange would write into the restored state
  if (reproducible()) {
    const double mean = 1.0 / static_cast<double>(exchange_.workers);
    if (exchange_.gain_weight <= mean) return std::nullopt;
    exchange_.gain_weight = std::max(exchange_.gain_weight / 2.0, mean);
    return "with " + std::to_string(exchange_.gain_weight) + " of the sum";
  }
  if (exchanged_after(step) < 2) return std::nullopt;
  resume_exchange(exchanged_after(step) / 2);
  return "with an exchange every " + std::to_string(exchanged_after(step)) + " rows";
}

// Rounds are numbered upwards, so a ticket of this part is unfinished while its mark is older than the part's first
// round: the redo rounds of a part mark with later numbers.
std::size_t round_driver::collect_unfinished(const round_plan& round) {
  const param_store& store = engine_run_.store();
  std::size_t missing = 0;
  for (std::uint32_t s = 0; s < round.shards; ++s) {
    const shard mine = shard_source::part_of(shard::part(plan_.chunks.count(), shard_id(s), round.shards), round);
    for (std::size_t t = mine.first; t < mine.last; ++t) {
      if (store.done()[t].get() < first_of_part_) store.redo()[missing++] = static_cast<std::uint32_t>(t);
    }
  }
  return missing;
}

// Rows of the epoch in earlier parts, in this process, counted by tickets.
double round_driver::rows_before(const round_plan& round) const {
  std::size_t tickets = 0;
  for (std::uint32_t s = 0; s < round.shards; ++s) {
    const shard whole = shard::part(plan_.chunks.count(), shard_id(s), round.shards);
    tickets += shard_source::part_of(whole, round).first - whole.first;
  }
  return static_cast<double>(std::min(tickets * plan_.chunks.rows_per_chunk(), task_.data().rows()));
}

// The furthest end of any drawn ticket: up to there the workers have shrunk the scale themselves.
double round_driver::drawn_rows(const round_plan& round) const {
  if (reproducible()) {
    const shard range = shard_source::part_of({0, plan_.chunks.count()}, round);
    const std::size_t drawn =
        engine_run_.store().control().board.turns_of_round() * engine_run_.store().shape().replicas;
    return static_cast<double>((range.first + std::min(drawn, range.size())) * plan_.chunks.rows_per_chunk());
  }
  if (round.redo == 0 && plan_.options.shards == sharding::claimed)
    return static_cast<double>(engine_run_.store().control().drawn.next() * plan_.chunks.rows_per_chunk());
  const auto counters = engine_run_.store().counters();
  const std::size_t used = round.redo > 0 ? 1 : counters.size();
  std::size_t most = 0;
  for (std::size_t i = 0; i < used; ++i) {
    const shard whole = shard::part(plan_.chunks.count(), shard_id(static_cast<std::uint32_t>(i)), round.shards);
    most = std::max(most, counters[i].next() - (round.redo > 0 ? 0 : whole.first));
  }
  return static_cast<double>(most * used * plan_.chunks.rows_per_chunk());
}

}  // namespace hogwild
