// SPDX-License-Identifier: Apache-2.0
// Writes two run records, one as full and one as bare as they come, to the two paths named; for the schema check.
#include <cstdio>
#include <exception>
#include <limits>

#include <hogwild/core/build_info.hpp>
#include <hogwild/core/run_record.hpp>

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
  const hogwild::record_measures measures{.test_loss = 0.4,
                                          .test_accuracy = 0.9,
                                          .test_auc = 0.95,
                                          .test_f1 = 0.8,
                                          .test_rmse = 0.3,
                                          .validation_loss = 0.5};
  for (std::uint64_t k = 1; k <= 2; ++k) {
    record.write(hogwild::record_epoch{.epoch = k,
                                       .train_seconds = 0.5,
                                       .wall_seconds = 0.75,
                                       .examples = 100 * k,
                                       .updates = 100 * k,
                                       .nonzeros = 900 * k,
                                       .step = 0.1,
                                       .train_loss = 0.4,
                                       .objective = 0.45,
                                       .measures = measures,
                                       .staleness = hogwild::record_staleness{.p50 = 1, .p99 = 3},
                                       .conflict_rate = 0.01});
  }
  record.write(hogwild::record_result{
      .status = hogwild::record_status::target,
      .epochs = 2,
      .train_seconds = 0.5,
      .wall_seconds = 0.75,
      .seconds_to_target = 0.25,
      .train_loss = 0.4,
      .objective = 0.45,
      .measures = measures,
      .search_seconds = 0.1,
      .step = 0.1,
      .workers_replaced = 2,
      .rows_lost = 1,
      .ring = hogwild::record_ring{.exchanges = 7,
                                   .bytes = 4096,
                                   .held_seconds = 1e-3,
                                   .waits = 2,
                                   .nodes = {{0}, {1, 2}},
                                   .memory = "bound"},
      .meetings = hogwild::record_meetings{.ranks = 3, .dense = 5, .sparse = 6, .bytes = 7000, .seconds = 0.5},
      .peak_rss_bytes = hogwild::peak_rss_bytes(),
      .advice = "the objective still fell: train for more epochs"});
}

void write_bare(const char* path) {
  constexpr double lost = std::numeric_limits<double>::quiet_NaN();
  hogwild::run_record record(path);
  record.write(context());
  record.write(hogwild::record_epoch{.epoch = 1, .train_loss = lost, .objective = lost});
  record.write(hogwild::record_result{.epochs = 1, .train_loss = lost, .objective = lost});
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
