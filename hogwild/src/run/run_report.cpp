// SPDX-License-Identifier: Apache-2.0
#include "run/run_report.hpp"

#include <algorithm>
#include <chrono>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/run_notes.hpp>

namespace hogwild::detail {

run_start start_of(const training_task& task, const engine_run& who, const resolved_run& run,
                   std::uint64_t rows_before) {
  return {.model = task.facts().model,
          .engine = who.engine(),
          .workers = run.plan.training_workers(who.workers()),
          .epochs = run.options.epochs,
          .rows = task.data().rows(),
          .parameters = task.facts().parameters,
          .nonzeros = task.data().nonzeros(),
          .step = run.schedule.initial,
          .decay = run.schedule.decay,
          .l2 = run.l2,
          .search_seconds = run.search_seconds,
          .rows_done = [&store = who.store(), rows_before] { return rows_before + rows_trained(store.slots()); }};
}

void tell_of_run(train_result& result, const epoch_report& counted, const training_task& task,
                 const resolved_run& run) {
  result.examples = counted.examples;
  result.updates = counted.updates;
  result.nonzeros = counted.nonzeros;
  result.step = run.schedule.initial;
  result.step_found = run.step_found;
  result.first_layer = task.facts().first_layer;
  result.last_layer = task.facts().last_layer;
  result.class_loss = task.facts().class_loss;
  result.samples = task.facts().samples;
  result.sampled_by = task.facts().sampled_by;
  result.schedule = run.schedule.kind;
  result.decay = run.schedule.decay;
  result.l2 = run.l2;
  result.scale = task.data().scaling;
  result.l2_tried = run.l2_tried;
  result.search_seconds = run.search_seconds;
  result.predicted_epoch_seconds = run.predicted_epoch_seconds;
  result.workers_asked = run.workers_asked;
}

void tell_of_run(train_result& result, const epoch_report& counted, const training_task& task, const engine_run& who,
                 const resolved_run& run) {
  tell_of_run(result, counted, task, run);
  result.workers = run.plan.training_workers(who.workers());
  result.workers_replaced = who.replaced();
  result.rows_lost = who.rows_lost();
  result.ring = who.ring();
  result.link = who.link();
  result.meetings = who.meetings();
  result.devices = who.devices();
  result.labels = task.labels();
}

void tell_of_end(train_result& result, const epoch_report& last, const training_task& task, const resolved_run& run) {
  result.train_loss = last.train_loss;
  result.objective = last.objective;
  result.gap = last.gap;
  result.test = last.test;
  result.validation = last.validation;
  const auto cpu_time = process_cpu_time() + children_cpu_time() - run.cpu_begun;
  result.cpu_seconds = std::chrono::duration<double>(cpu_time).count();
  result.peak_rss_bytes = peak_rss_bytes();
  if (const row_source* const rows = task.data().source) result.disk_wait_seconds = rows->waited();
  if (run.notes) result.notes = run.notes->told();
}

round_report round_of(const epoch_report& counted, std::size_t round, std::size_t rounds) {
  return {.epoch = counted.epoch,
          .round = round,
          .rounds = rounds,
          .train_seconds = counted.train_seconds,
          .wall_seconds = counted.wall_seconds,
          .examples = counted.examples,
          .updates = counted.updates,
          .nonzeros = counted.nonzeros,
          .step = counted.step};
}

std::string note_of_time(std::uint64_t epochs, std::size_t of) {
  return "the time is over: the run ends after " + std::to_string(epochs) + " of its " + std::to_string(of) + " epochs";
}

std::string note_of_unmeasured(std::uint64_t epoch, std::uint64_t measured) {
  return "the checkpoint is of epoch " + std::to_string(epoch) +
         ", which was not measured; the losses known so far are of epoch " + std::to_string(measured);
}

std::string note_of_meetings(const train_result& result) {
  constexpr double nobody_waits = 0.1;  // seconds
  if (!result.meetings || result.meetings->seconds <= std::max(nobody_waits, 0.5 * result.train_seconds)) return {};
  return to_short_text(result.meetings->seconds) + " of " + to_short_text(result.train_seconds) +
         " s of training were meetings of the ranks; let them meet after more rows (--sync-rows)";
}

}  // namespace hogwild::detail
