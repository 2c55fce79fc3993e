// SPDX-License-Identifier: Apache-2.0
#include <hogwild/record_observer.hpp>

#include <algorithm>
#include <cmath>

#include <hogwild/agreement.hpp>
#include <hogwild/choose.hpp>
#include <hogwild/core/build_info.hpp>
#include <hogwild/core/machine.hpp>
#include <hogwild/core/run_record.hpp>
#include <hogwild/names.hpp>

namespace hogwild {

namespace {

record_dataset describe(const sparse_view& data, const train_options& options) {
  record_dataset d{.path = options.data_name.empty() ? "memory" : options.data_name,
                   .rows = data.rows(),
                   .columns = data.columns,
                   .nonzeros = data.nonzeros(),
                   .index_bits = data.has_narrow_index() ? 16u : 32u,
                   .value_bits = data.has_narrow_value() ? 16u : 32u};
  for (std::size_t r = 0; r < data.rows(); ++r) d.omega = std::max(d.omega, data.row_start[r + 1] - data.row_start[r]);
  if (!data.degree.empty()) {
    // A slice keeps the counts of the whole; a share above one would be nonsense.
    const auto most = static_cast<double>(*std::ranges::max_element(data.degree));
    d.delta = std::min(1.0, most / static_cast<double>(data.rows()));
  }
  if (options.test) d.test_rows = options.test->rows();
  return d;
}

record_measures measures_of(const std::optional<measurement>& test, const std::optional<measurement>& validation) {
  record_measures m;
  if (test) {
    m.test_loss = test->loss;
    m.test_accuracy = test->accuracy;
    m.test_auc = test->auc;
    m.test_f1 = test->f1;
    m.test_rmse = test->rmse;
    m.test_cut = test->cut;
  }
  if (validation) m.validation_loss = validation->loss;
  return m;
}

record_status status_of(run_status status) {
  switch (status) {
    case run_status::target:
      return record_status::target;
    case run_status::converged:
      return record_status::converged;
    case run_status::diverged:
      return record_status::diverged;
    case run_status::stopped:
      return record_status::stopped;
    case run_status::done:
      break;
  }
  return record_status::done;
}

class record_observer final : public observer {
 public:
  record_observer(const std::string& path, const job& work, const resolved_run& run)
      : record_(path), job_(work), run_(run) {}

  void on_start(const run_start& start) override {
    const loop_options& o = job_.options();
    const auto number = [](auto n) { return static_cast<std::int64_t>(n); };
    const auto text = [](std::string_view s) { return std::string(s); };
    record_.write(
        record_context{.version = text(build_info.version),
                       .commit = text(build_info.commit),
                       .build_type = text(build_info.build_type),
                       .compiler = text(build_info.compiler),
                       .machine = this_machine(),
                       .options = {{"model", text(start.model)},
                                   {"engine", text(start.engine)},
                                   {"workers", number(start.workers)},
                                   {"sharing", text(name_of(o.sharing))},
                                   {"sharing_reason", run_.sharing_reason},
                                   {"exchange_rows", number(rows_between_exchanges(o))},
                                   {"exchange_share", o.exchange.share},
                                   {"ranks", number(agreement(run_.ranks).size())},
                                   {"rows_of_all_ranks", number(job_.all_rows())},
                                   {"replicas", number(o.exchange.replicas)},
                                   {"exchange_rule", text(o.exchange.replicas > 1 ? name_of(o.exchange.rule) : "none")},
                                   {"head", number(o.sharing == sharing_kind::head ? o.exchange.head : 0)},
                                   {"reproducible", run_.options.reproducible},
                                   {"virtual_workers", number(run_.options.reproducible ? o.exchange.workers : 0)},
                                   {"isa", text(name_of(o.isa))},
                                   {"batch", number(o.batch)},
                                   {"update", text(name_of(o.update))},
                                   {"optimizer", text(name_of(o.optimizer))},
                                   {"order", text(name_of(o.order))},
                                   {"shards", text(name_of(o.shards))},
                                   {"epochs", number(start.epochs)},
                                   {"schedule", text(name_of(run_.schedule.kind))},
                                   {"step", run_.schedule.initial},
                                   {"step_found", run_.step_found},
                                   {"decay", run_.schedule.decay},
                                   {"l2", run_.l2},
                                   {"bias", o.bias != 0},
                                   {"weight_positive", o.weight_positive},
                                   {"tolerance", run_.options.tolerance},
                                   {"seed", number(o.seed)},
                                   {"telemetry", o.telemetry != 0},
                                   {"rows_per_chunk", number(job_.plan().rows_per_chunk())}},
                       .dataset = describe(job_.data(), run_.options)});
  }

  void on_epoch(const epoch_report& e) override {
    record_epoch line{.epoch = e.epoch,
                      .train_seconds = e.train_seconds,
                      .wall_seconds = e.wall_seconds,
                      .examples = e.examples,
                      .updates = e.updates,
                      .nonzeros = e.nonzeros,
                      .step = e.step,
                      .train_loss = e.train_loss,
                      .objective = e.objective,
                      .measures = measures_of(e.test, e.validation),
                      .conflict_rate = e.conflict_rate};
    if (e.staleness_p50) {
      line.staleness = record_staleness{static_cast<double>(*e.staleness_p50), static_cast<double>(*e.staleness_p99)};
    }
    record_.write(line);
  }

  void on_finish(const train_result& r) override {
    record_result line{.status = status_of(r.status),
                       .epochs = r.epochs,
                       .train_seconds = r.train_seconds,
                       .wall_seconds = r.wall_seconds,
                       .seconds_to_target = r.seconds_to_target,
                       .train_loss = measured(r, r.final_loss),
                       .objective = measured(r, r.objective),
                       .measures = measures_of(r.test, r.validation),
                       .search_seconds = r.search_seconds,
                       .step = r.step,
                       .workers_replaced = r.workers_replaced,
                       .rows_lost = r.rows_lost,
                       .peak_rss_bytes = r.peak_rss_bytes};
    if (r.ring) {
      line.ring = record_ring{.exchanges = r.ring->exchanges,
                              .bytes = r.ring->bytes,
                              .held_seconds = r.ring->held_seconds,
                              .waits = r.ring->waits,
                              .taken_over = r.ring->taken_over,
                              .nodes = r.ring->nodes,
                              .memory = std::string(to_string(r.ring->memory))};
    }
    if (r.link) {
      line.link = record_link{.ranks = r.link->ranks,
                              .exchanges = r.link->exchanges,
                              .bytes = r.link->bytes,
                              .held_seconds = r.link->held_seconds,
                              .waited_seconds = r.link->waited_seconds};
    }
    if (r.meetings) {
      line.meetings = record_meetings{.ranks = r.meetings->ranks,
                                      .dense = r.meetings->dense,
                                      .sparse = r.meetings->sparse,
                                      .bytes = r.meetings->bytes,
                                      .seconds = r.meetings->seconds};
    }
    if (r.status == run_status::diverged) line.advice = divergence_advice(r);
    record_.write(line);
  }

 private:
  /// A run that is stopped may end before anything has been measured.
  static std::optional<double> measured(const train_result& r, double loss) {
    if (r.status == run_status::stopped && std::isnan(loss)) return std::nullopt;
    return loss;
  }

  std::uint64_t rows_between_exchanges(const loop_options& o) const {
    if (o.sharing == sharing_kind::frozen || in_lockstep(o.sharing)) return o.exchange.rows;
    return exchange_rows(o.exchange, run_.schedule.initial);
  }

  run_record record_;
  const job& job_;
  const resolved_run& run_;
};

}  // namespace

std::unique_ptr<observer> make_record_observer(const std::string& path, const job& work, const resolved_run& run) {
  return std::make_unique<record_observer>(path, work, run);
}

}  // namespace hogwild
