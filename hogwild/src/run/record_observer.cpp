// SPDX-License-Identifier: Apache-2.0
#include "run/run_report.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/results/run_record.hpp>
#include <hogwild/detail/run/choose.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/task/training_task.hpp>
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
    // A slice keeps the counts of the whole; a fraction above one would be wrong.
    const auto most = static_cast<double>(*std::ranges::max_element(data.degree));
    d.delta = std::min(1.0, most / static_cast<double>(data.rows()));
  }
  if (options.test) d.test_rows = options.test->rows();
  return d;
}

/// "none", "balanced", or LABEL=WEIGHT,...
std::string class_weights_of(const class_weights& weights) {
  if (weights.balanced) return "balanced";
  std::string all;
  for (const auto& [label, weight] : weights.of_labels)
    all += (all.empty() ? "" : ",") + detail::to_text(label) + "=" + detail::to_text(weight);
  return all.empty() ? "none" : all;
}

class record_observer final : public observer {
 public:
  record_observer(const std::string& path, const training_task& work, const resolved_run& run)
      : record_(run.resumed ? run_record::go_on(path) : run_record(path)),
        resumed_epoch_(run.resumed ? run.resumed->state.epoch : 0),
        task_(work),
        run_(run) {}

  void on_start(const run_start& start) override {
    const loop_options& o = run_.plan.options;
    const auto number = [](auto n) { return static_cast<std::int64_t>(n); };
    const auto text = [](std::string_view s) { return std::string(s); };
    record_context context{
        .version = text(build_info.version),
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
                    {"gain_weight", o.exchange.gain_weight},
                    {"ranks", number(agreement(run_.ranks).size())},
                    {"rows_of_all_ranks", number(task_.all_rows())},
                    {"replicas", number(o.exchange.replicas)},
                    {"exchange_rule", text(o.exchange.replicas > 1 ? name_of(o.exchange.rule) : "none")},
                    {"released_tolerance", by_released(o) ? o.exchange.released.tolerance : 0.0},
                    {"released_dense", by_released(o) && o.exchange.released.dense != 0},
                    {"head", number(o.sharing == access_kind::head ? o.exchange.head : 0)},
                    {"storage", text(name_of(o.halves.count > 0 ? storage_kind::half : storage_kind::single))},
                    {"step_found", run_.step_found},
                    {"l2_found", !run_.l2_tried.empty()},
                    {"scale", text(name_of(task_.data().scaling))},
                    {"class_weights", text(class_weights_of(run_.options.weights))},
                    {"row_weights", !task_.data().weight.empty()},
                    {"row_offsets", !task_.data().offset.empty()},
                    {"rows_per_chunk", number(run_.plan.chunks.rows_per_chunk())}},
        .dataset = describe(task_.data(), run_.options)};
    for (auto& option : detail::recorded_options(decided())) context.options.push_back(std::move(option));
    if (run_.models > 1) {
      context.options.emplace_back("models", number(run_.models));
      context.options.emplace_back("combination", run_.combination);
    }
    const std::string_view form = task_.facts().first_layer;
    if (!form.empty()) context.options.emplace_back("first_layer", text(form));
    const task_facts& facts = task_.facts();
    if (!facts.last_layer.empty()) context.options.emplace_back("last_layer", text(facts.last_layer));
    if (!facts.products.empty()) context.options.emplace_back("products", text(facts.products));
    if (!facts.class_loss.empty()) context.options.emplace_back("class_loss", text(facts.class_loss));
    if (facts.samples > 0) {
      context.options.emplace_back("samples", number(facts.samples));
      context.options.emplace_back("sampled_by", text(facts.sampled_by));
    }
    if (record_.goes_on())
      record_.write_resumed(context, resumed_epoch_);
    else
      record_.write(context);
  }

  observer_answer on_epoch(const epoch_report& e) override {
    record_.write(e);
    return observer_answer::go_on;
  }

  void on_note(std::string_view) override {}  // the result has all notes

  void on_finish(const train_result& r) override {
    record_.write(r, r.status == run_status::diverged ? std::optional(divergence_advice(r)) : std::nullopt);
  }

 private:
  /// The options, with what was decided in the place of what was not given.
  train_options decided() const {
    const loop_options& o = run_.plan.options;
    train_options all = decided_options(run_.options, o);
    all.step = {.initial = run_.schedule.initial,
                .decay = run_.schedule.decay,
                .kind = run_.schedule.kind,
                .warm_up = run_.schedule.warm_up};
    all.l2 = run_.l2;
    all.isa = o.isa;
    all.telemetry = o.telemetry != 0;
    return all;
  }

  static bool by_released(const loop_options& o) {
    return o.exchange.replicas > 1 && o.exchange.rule == ring_rule::released;
  }

  std::uint64_t rows_between_exchanges(const loop_options& o) const {
    if (o.sharing == access_kind::deterministic || in_lockstep(o.sharing)) return o.exchange.rows;
    return exchange_rows(o.exchange, run_.schedule.initial);
  }

  run_record record_;
  std::uint64_t resumed_epoch_;  ///< the epoch from which a resumed run goes on
  const training_task& task_;
  const resolved_run& run_;
};

}  // namespace

std::unique_ptr<observer> make_record_observer(const std::string& path, const training_task& work,
                                               const resolved_run& run) {
  return std::make_unique<record_observer>(path, work, run);
}

}  // namespace hogwild
