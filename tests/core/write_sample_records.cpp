// SPDX-License-Identifier: Apache-2.0
// Writes two run records for the schema check to the two given paths: one as full and one as bare as possible.
#include <cstdio>
#include <exception>
#include <limits>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/results/run_record.hpp>

namespace {

hogwild::record_context context() {
  const auto& build = hogwild::build_info;
  return {.version = std::string(build.version),
          .commit = std::string(build.commit),
          .build_type = std::string(build.build_type),
          .compiler = std::string(build.compiler),
          .machine = hogwild::this_machine(),
          .dataset = {.path = "a.svm", .rows = 100, .columns = 20, .nonzeros = 900, .omega = 12, .delta = 0.5}};
}

void write_full(const char* path) {
  hogwild::run_record record(path);
  auto first = context();
  first.machine.cpu_quota = 1.5;
  first.machine.governor = "performance";
  first.options = {{"model", std::string("logistic")}, {"workers", std::int64_t{2}}, {"l2", 1e-4}, {"bias", false}};
  first.dataset.rho = 0.9;
  first.dataset.test_rows = 10;
  record.write(first);
  const hogwild::measurement test{.loss = 0.4,
                                  .accuracy = 0.9,
                                  .auc = 0.95,
                                  .f1 = 0.8,
                                  .matthews = -0.2,
                                  .rmse = 0.3,
                                  .precision_at_1 = 0.9,
                                  .precision_at_3 = 0.5,
                                  .precision_at_5 = 0.3,
                                  .micro_f1 = 0.8,
                                  .macro_f1 = 0.4,
                                  .psp_at_1 = 0.5,
                                  .psp_at_3 = 0.6,
                                  .psp_at_5 = 0.7,
                                  .group_auc = 0.7,
                                  .ndcg_at_10 = 0.6,
                                  .recall_at_20 = 0.25,
                                  .precision_at_20 = 0.05,
                                  .ndcg_at_20 = 0.2,
                                  .map_at_20 = 0.1,
                                  .mrr_at_20 = 0.3,
                                  .hit_rate_at_20 = 0.7,
                                  .coverage_at_20 = 0.5,
                                  .mrr = 0.35,
                                  .hits_at_1 = 0.25,
                                  .hits_at_3 = 0.4,
                                  .hits_at_10 = 0.5};
  const hogwild::measurement validation{.loss = 0.5};
  for (std::uint64_t k = 1; k <= 2; ++k) {
    record.write(hogwild::epoch_report{.epoch = k,
                                       .train_seconds = 0.5,
                                       .wall_seconds = 0.75,
                                       .examples = 100 * k,
                                       .updates = 100 * k,
                                       .nonzeros = 900 * k,
                                       .step = 0.1,
                                       .train_loss = 0.4,
                                       .objective = 0.45,
                                       .test = test,
                                       .validation = validation,
                                       .staleness_p50 = 1,
                                       .staleness_p99 = 3,
                                       .conflict_rate = 0.01});
  }
  hogwild::train_result last;
  last.status = hogwild::run_status::target;
  last.epochs = 2;
  last.train_seconds = 0.5;
  last.wall_seconds = 0.75;
  last.seconds_to_target = 0.25;
  last.train_loss = 0.4;
  last.objective = 0.45;
  last.test = test;
  last.validation = validation;
  last.search_seconds = 0.1;
  last.cpu_seconds = 1.25;
  last.predicted_epoch_seconds = 0.2;
  last.step = 0.1;
  last.workers_replaced = 2;
  last.rows_lost = 1;
  last.ring = {.replicas = 2,
               .exchanges = 7,
               .bytes = 4096,
               .held_seconds = 1e-3,
               .waits = 2,
               .nodes = {{0}, {1, 2}},
               .memory = hogwild::placed_memory::bound};
  last.meetings = {.ranks = 3, .dense = 5, .sparse = 6, .bytes = 7000, .seconds = 0.5};
  last.peak_rss_bytes = hogwild::peak_rss_bytes();
  last.disk_wait_seconds = 0.25;
  record.write(last, "the objective still fell: train for more epochs");
}

void write_bare(const char* path) {
  constexpr double lost = std::numeric_limits<double>::quiet_NaN();
  hogwild::run_record record(path);
  record.write(context());
  record.write(hogwild::epoch_report{.epoch = 1, .train_loss = lost, .objective = lost});
  hogwild::train_result last;
  last.epochs = 1;
  last.train_loss = last.objective = lost;
  record.write(last);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    write_full(argv[1]);
    write_bare(argv[2]);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
