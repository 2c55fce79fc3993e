// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/run/names.hpp>
#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

using json = nlohmann::ordered_json;  // keys stay in the order in which people read them

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

template <class T>
json names(const std::vector<T>& values) {
  json list = json::array();
  for (const T value : values) list.push_back(name_of(value));
  return list;
}

json to_json(const machine_facts& m) {
  json object{{"cpu_model", m.cpu_model},   {"logical_cpus", m.logical_cpus}, {"usable_cpus", m.usable_cpus},
              {"numa_nodes", m.numa_nodes}, {"memory_bytes", m.memory_bytes}, {"kernel", m.kernel}};
  if (m.cpu_quota) object["cpu_quota"] = *m.cpu_quota;
  if (m.governor) object["governor"] = *m.governor;
  return object;
}

json to_json(const point& p) {
  json object{{"model", p.model},
              {"engine", name_of(p.engine)},
              {"workers", p.workers},
              {"update", hogwild::name_of(p.update)},
              {"sharing", hogwild::name_of(p.sharing)},
              {"reproducible", p.reproducible}};
  if (p.engine == engine_kind::ring) object["exchange"] = hogwild::name_of(p.exchange);
  return object;
}

template <class T>
void put_known(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

json to_json(const rival_run& run, bool with_speed) {
  json object = json::object();
  if (with_speed) object["command_seconds"] = run.command_seconds;
  if (with_speed) put_known(object, "epoch_seconds", run.epoch_seconds);
  put_known(object, "objective", run.objective);
  put_known(object, "test_accuracy", run.test_accuracy);
  return object;
}

json to_json(const run_outcome& run, bool with_speed, bool with_target) {
  json object{{"status", to_string(run.result.status)}, {"objective", run.result.objective}};
  if (run.result.test && run.result.test->accuracy) object["test_accuracy"] = *run.result.test->accuracy;
  if (with_speed) object["epoch_seconds"] = run.epoch_seconds;
  if (with_speed && with_target) object["seconds_to_target"] = or_null(run.seconds_to_target);
  return object;
}

}  // namespace

bench_record::bench_record(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  path_ = std::filesystem::path(folder) / "scaling.jsonl";
  file_.open(path_);
  if (!file_) throw input_error(path_.string() + ": cannot be written; name another folder with --out");
}

template <class Json>
void bench_record::put(const Json& line) {
  if (path_.empty()) return;
  file_ << line.dump() << std::endl;
  if (!file_) throw resource_error(path_.string() + ": cannot be written; is the disk full?");
}

void bench_record::write(const bench_options& o, const workload& data, const machine_facts& machine) {
  json options{{"models", o.models},
               {"engines", names(o.engines)},
               {"workers", o.workers},
               {"updates", names(o.updates)},
               {"sharing", names(o.sharing)},
               {"exchange", names(o.exchange)},
               {"reproducible", o.reproducible},
               {"isa", hogwild::name_of(o.isa)},
               {"half", o.half},
               {"rivals", o.rivals.names},
               {"epochs", o.epochs},
               {"repeats", o.repeats},
               {"step", or_null(o.step)},
               {"decay", or_null(o.decay)},
               {"l2", or_null(o.l2)},
               {"tolerance", o.tolerance},
               {"seed", o.seed}};
  if (o.virtual_workers > 0) options["virtual_workers"] = o.virtual_workers;
  if (o.budget_seconds > 0) options["budget_seconds"] = o.budget_seconds;
  if (o.target_gap) options["target_gap"] = *o.target_gap;
  if (!o.set.empty()) options["set"] = o.set;
  if (o.target) options["target"] = std::string(hogwild::name_of(o.target->what)) + "=" + json(o.target->value).dump();
  const sparse_view rows = data.train().view();
  const auto test = data.test();
  put(json{{"kind", "context"},
           {"schema", schema},
           {"version", build_info.version},
           {"commit", build_info.commit},
           {"build_type", build_info.build_type},
           {"compiler", build_info.compiler},
           {"machine", to_json(machine)},
           {"options", std::move(options)},
           {"dataset",
            {{"name", data.name()},
             {"rows", rows.rows()},
             {"columns", rows.columns},
             {"nonzeros", rows.nonzeros()},
             {"index_bits", rows.has_narrow_index() ? 16 : 32},
             {"value_bits", rows.has_narrow_value() ? 16 : 32},
             {"test_rows", test ? test->rows() : 0}}}});
}

void bench_record::write(const stream_speed& speed) {
  put(json{{"kind", "ceiling"}, {"threads", speed.threads}, {"bytes_per_second", speed.bytes_per_second}});
}

void bench_record::write(const model_settings& m) {
  put(json{{"kind", "reference"},
           {"model", m.model},
           {"step", m.step},
           {"decay", m.decay},
           {"l2", m.l2},
           {"objective", m.objective}});
}

void bench_record::write(const point_report& p, double fraction_of_ceiling, bool with_target) {
  json line{{"kind", "configuration"}};
  line.update(to_json(p.what));
  line["state"] = name_of(p.state);
  const bool measured = p.state == point_state::measured;
  if (!measured) line["reason"] = p.reason;
  if (measured || p.state == point_state::failed) {
    line["reference_objective"] = p.reference_objective;
    line["worst_gap"] = p.worst_gap;
    json runs = json::array();
    for (const run_outcome& run : p.runs) runs.push_back(to_json(run, measured, with_target));
    line["runs"] = std::move(runs);
  }
  if (measured) {
    line["median_epoch_seconds"] = p.median_seconds;
    line["min_epoch_seconds"] = p.min_seconds;
    line["max_epoch_seconds"] = p.max_seconds;
    line["nonzeros_per_second"] = p.nonzeros_per_second;
    line["share_of_ceiling"] = fraction_of_ceiling;
  }
  put(line);
}

void bench_record::write(const rival_report& r) {
  json line{{"kind", "rival"},
            {"model", r.model},
            {"name", r.who.name},
            {"setting", r.who.setting},
            {"workers", r.who.workers},
            {"evaluator", name_of(r.who.evaluated_by)},
            {"same_objective", r.who.same_objective},
            {"state", name_of(r.state)}};
  const bool measured = r.state == point_state::measured;
  if (!measured) line["reason"] = r.reason;
  if (measured || r.state == point_state::failed) {
    json runs = json::array();
    for (const rival_run& run : r.runs) runs.push_back(to_json(run, measured));
    line["runs"] = std::move(runs);
  }
  if (measured) {
    line["median_command_seconds"] = r.median_command_seconds;
    put_known(line, "median_epoch_seconds", r.median_epoch_seconds);
    put_known(line, "min_epoch_seconds", r.min_epoch_seconds);
    put_known(line, "nonzeros_per_second", r.nonzeros_per_second);
  }
  put(line);
}

void bench_record::write(const speedup& s) {
  json line{{"kind", "speedup"}};
  line.update(to_json(s.what));
  line["median_epoch_seconds"] = s.seconds;
  line["one_worker"] = s.one_worker;
  line["one_worker_seconds"] = s.one_worker_seconds;
  line["ratio"] = s.ratio;
  line["objective_difference"] = s.objective_difference;
  put(line);
}

void bench_record::write_rounds(std::size_t asked, std::size_t done) {
  put(json{{"kind", "rounds"}, {"asked", asked}, {"done", done}});
}

void bench_record::write(const telemetry_cost& cost) {
  put(json{{"kind", "telemetry"},
           {"model", cost.model},
           {"workers", cost.workers},
           {"median_ratio", cost.median_ratio},
           {"noise_ratio", cost.noise_ratio},
           {"with", cost.with},
           {"without", cost.without},
           {"again_without", cost.again}});
}

void bench_record::write(const ingest_speed& speed) {
  for (const auto& line : speed.lines) {
    put(json{{"kind", "ingest"},
             {"threads", line.threads},
             {"bytes", speed.bytes},
             {"bytes_per_second", line.bytes_per_second},
             {"seconds", line.seconds}});
  }
  put(json{{"kind", "warm_start"},
           {"bytes", speed.bytes},
           {"median_seconds", speed.median_warm_seconds},
           {"seconds", speed.warm_seconds}});
}

void bench_record::write(const pss_report& report) {
  const auto one = static_cast<double>(report.lines.front().bytes);
  for (const pss_line& line : report.lines) {
    put(json{{"kind", "pss"},
             {"model", report.model},
             {"workers", line.workers},
             {"processes", line.processes},
             {"pss_bytes", line.bytes},
             {"ratio_to_one", static_cast<double>(line.bytes) / one},
             {"cache_bytes", report.cache_bytes}});
  }
}

}  // namespace hogwild::bench
