// SPDX-License-Identifier: Apache-2.0
#include "run/run_report.hpp"

#include <hogwild/detail/memory/param_store.hpp>
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
          .rows_done = [&store = who.store(), rows_before] {
            std::uint64_t rows = rows_before;
            for (const worker_slot& slot : store.slots()) rows += slot.rows.get();
            return rows;
          }};
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
  result.l2_tried = run.l2_tried;
  result.search_seconds = run.search_seconds;
  result.predicted_epoch_seconds = run.predicted_epoch_seconds;
  result.workers_asked = run.workers_asked;
  if (run.notes) result.notes = run.notes->told();
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

}  // namespace hogwild::detail
