// SPDX-License-Identifier: Apache-2.0
#include "run/epoch_loop.hpp"

#include <chrono>
#include <utility>

#include "run/run_report.hpp"
#include "run/unchanged_parameters.hpp"

namespace hogwild {

epoch_loop::epoch_loop(const training_task& work, resolved_run& run, std::size_t models)
    : task_(work), run_(run), options_(run.options), ranks_(run.ranks), teller_(work, options_, models) {}

train_result epoch_loop::run() {
  try {
    for (begin(); goes_on();)
      if (train()) conclude();
    return finish();
  } catch (...) {
    fail();
    tell_of_failure(options_);
    throw;
  }
}

bool epoch_loop::train() {
  if (!asked_to_stop() && train_epoch(progress_.epoch + 1)) return true;
  stop();
  return false;
}

void epoch_loop::conclude(bool measured) {
  const std::size_t e = progress_.epoch + 1;
  const bool due = measured || is_due(e);
  const bool writes = !due && checkpoint_times_.are_due(e, observer_stops_);
  switch (conclude_epoch(e, due || (writes && has_broken_down()))) {
    case conclusion::stopped:
      return stop();
    case conclusion::again:
      return;
    case conclusion::measured:
      return report();
    case conclusion::unmeasured:
      if (writes) save();
  }
}

void epoch_loop::report() {
  if (are_unchanged()) teller_.note(unchanged_parameters::note(last_));
  note_answer(tell_observers());
  const std::optional<run_status> ended = decide(progress_.epoch - progress_.measured_epoch);
  progress_.measured_epoch = progress_.epoch;
  if (ended) result_.status = *ended;
  if (ended == run_status::target) result_.seconds_to_target = progress_.train_seconds;
  over_ = ended.has_value();
  const bool is_last = over_ || progress_.epoch == options_.epochs;
  if (!checkpoint_times_.are_due(progress_.epoch, observer_stops_ || over_) || ended == run_status::diverged) return;
  is_last ? save_last() : save();
}

void epoch_loop::stop() {
  const bool ends_well = stopped_by_ == stop_cause::time_limit && has_trained();
  result_.status = ends_well ? run_status::done : run_status::stopped;
  result_.stopped_by = stopped_by_;
  over_ = true;
}

double epoch_loop::wall_seconds() const {
  return progress_.wall_seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - run_.begun).count();
}

train_result epoch_loop::end() {
  result_.wall_seconds = wall_seconds();
  detail::tell_of_end(result_, last_, task_, run_);
  tell(options_, [&](observer& o) { o.on_finish(result_); });
  return std::move(result_);
}

}  // namespace hogwild
