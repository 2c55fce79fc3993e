// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <utility>

#include <hogwild/names.hpp>

#include "ceiling_kernels.hpp"

namespace hogwild::bench {
namespace {

using json = record_lines::json;

const char* name_of_policy(update_kind update) {
  return update == update_kind::exact ? "exact" : "lossy";
}

double nonzeros_per_row(const workload& work) {
  return static_cast<double>(work.rows.index.size()) / static_cast<double>(work.rows.label.size());
}

std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

json about(const device::device_facts& facts) {
  json device{{"name", facts.name}};
  if (facts.emulated) return device;
  device["memory_bytes"] = facts.memory_bytes;
  device["multiprocessors"] = facts.multiprocessors;
  device["architecture"] = std::to_string(facts.compute_major) + "." + std::to_string(facts.compute_minor);
  device["driver"] = cuda_version(facts.driver_version);
  device["runtime"] = cuda_version(facts.runtime_version);
  device["native_host_atomics"] = facts.native_host_atomics;
  device["concurrent_managed_access"] = facts.concurrent_managed_access;
  return device;
}

}  // namespace

void device_record::put_context(const device::device_facts& facts) {
  lines_.put_context("device", about(facts));
}

void device_record::put(const ceilings& found, const std::string& device) {
  const auto ceiling = [&](const char* name, const char* unit, double value) {
    return json{{"kind", "ceiling"}, {"device", device}, {"name", name}, {"value", value}, {"unit", unit}};
  };
  const auto adds = [&](const char* name, update_kind update, std::size_t floats, double value) {
    json line = ceiling(name, "adds/s", value);
    line["update"] = name_of_policy(update);
    line["floats"] = floats;
    lines_.put(line);
  };
  lines_.put(ceiling("copy", "bytes/s", found.copied_bytes));
  adds("adds", update_kind::lossy, text_model_floats, found.scattered_adds_lossy);
  adds("adds", update_kind::exact, text_model_floats, found.scattered_adds_exact);
  adds("adds", update_kind::lossy, 1, found.adds_to_one_lossy);
  adds("adds", update_kind::exact, 1, found.adds_to_one_exact);
  json latency = ceiling("latency", "s", found.row_seconds);
  latency["entries"] = latency_row_entries;
  lines_.put(latency);
}

void device_record::put(const workload& work, const reference& by) {
  lines_.put(json{{"kind", "task"},
                  {"task", work.name},
                  {"settings", work.settings},
                  {"rows", work.rows.label.size()},
                  {"nonzeros", work.rows.index.size()},
                  {"step", by.result.step},
                  {"decay", by.result.decay},
                  {"l2", by.result.l2},
                  {"objective", by.objective},
                  {"target", by.target},
                  {"serial_rows_per_second", by.rows_per_second},
                  {"serial_nonzeros_per_second", by.rows_per_second * nonzeros_per_row(work)}});
}

void device_record::put(const workload& work, const contestant& who, const contest& outcome) {
  json line{{"kind", "run"},
            {"task", work.name},
            {"name", who.name},
            {"workers", who.workers},
            {"device", who.device},
            {"update", name_of_policy(who.way.update)},
            {"storage", name_of(who.way.storage)},
            {"state", outcome.state}};
  if (!outcome.reason.empty()) line["reason"] = outcome.reason;
  if (outcome.state != "broken") {
    line["objective"] = outcome.result.objective;
    line["gap"] = outcome.gap;
    if (!outcome.result.devices.empty()) line["rows_in_flight"] = outcome.result.devices[0].rows_in_flight;
  }
  // A run that misses the quality has no speed.
  if (outcome.state == "measured") {
    line["train_seconds"] = outcome.result.train_seconds;
    line["wall_seconds"] = outcome.result.wall_seconds;
    line["rows_per_second"] = outcome.rows_per_second;
    line["nonzeros_per_second"] = outcome.rows_per_second * nonzeros_per_row(work);
    if (outcome.seconds_to_target) line["seconds_to_target"] = *outcome.seconds_to_target;
  }
  lines_.put(line);
}

void device_record::put_rate(const workload& work, const std::string& device, const training_way& way,
                             std::uint32_t rows_in_flight, double rows_per_second, const std::optional<row_bound>& by) {
  json line{{"kind", "kernel"},
            {"task", work.name},
            {"device", device},
            {"update", name_of_policy(way.update)},
            {"storage", name_of(way.storage)},
            {"rows_in_flight", rows_in_flight},
            {"rows_per_second", rows_per_second},
            {"nonzeros_per_second", rows_per_second * nonzeros_per_row(work)}};
  if (by) {
    line["ceiling"] = by->by;
    line["of_ceiling"] = rows_per_second / by->rows_per_second;
  }
  lines_.put(line);
}

void device_record::put_ratio(const workload& work, const std::string& name, const std::string& other, double value) {
  lines_.put(json{{"kind", "ratio"}, {"task", work.name}, {"of", name}, {"to", other}, {"sooner", value}});
}

void device_record::put(const sum_seconds& found) {
  for (const auto& [by, seconds] : {std::pair{"rank order", found.in_rank_order}, {"nccl", found.by_nccl}})
    lines_.put(
        json{{"kind", "sum"}, {"by", by}, {"ranks", found.ranks}, {"floats", found.floats}, {"seconds", seconds}});
}

void device_record::put_skipped(const std::string& task, const std::string& name, const std::string& reason) {
  lines_.put(json{{"kind", "skipped"}, {"task", task}, {"name", name}, {"reason", reason}});
}

void device_record::put_end(bool cut) {
  lines_.put(json{{"kind", "end"}, {"cut", cut}});
}

}  // namespace hogwild::bench
