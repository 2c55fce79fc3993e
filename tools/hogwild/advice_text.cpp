// SPDX-License-Identifier: Apache-2.0
#include "advice_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/names.hpp>

#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

/// The value of --values to use, and why.
struct value_choice {
  const char *values, *reason;
};

value_choice choose_values(const sparse_view& rows, const advice& given) {
  if (rows.has_narrow_value()) return {"half", "the data already have 16-bit values"};
  const std::uint64_t memory = this_machine().memory_bytes;
  if (rows.columns <= 65'536 && memory > 0 && given.data_bytes > memory / 2)
    return {"half",
            "the data take more than half of the machine's memory; with half values they take two thirds of that"};
  return {"float", "no value is rounded, and the data fit into memory"};
}

/// How much slower the advised run is than the fastest measured one, as a fraction; runs in lockstep do not count.
std::optional<double> loss_of_advice(const advice& given, const std::vector<measured_run>& measured) {
  double least = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (given.runs[i].in_lockstep || measured[i].epoch_seconds == 0.0) continue;
    if (least == 0.0 || measured[i].epoch_seconds < least) least = measured[i].epoch_seconds;
  }
  if (least == 0.0 || measured[given.best].epoch_seconds == 0.0) return std::nullopt;
  return measured[given.best].epoch_seconds / least - 1.0;
}

std::string line_of(const advised_run& run, const measured_run* measured, bool busy) {
  std::string text = formatted("%-11s %7zu  ", run.engine.c_str(), run.asked);
  if (!run.refused.empty()) return text + run.refused + "\n";
  text += formatted("%-13s %12.4g %8.2f %10.1f", std::string(name_of(run.sharing)).c_str(), 1e3 * run.epoch_seconds,
                    run.speed_up, static_cast<double>(run.bytes) / 1e6);
  if (measured != nullptr && measured->epoch_seconds > 0.0)
    text += formatted(" %12.4g %+9.1f", 1e3 * measured->epoch_seconds,
                      100.0 * (run.epoch_seconds / measured->epoch_seconds - 1.0));
  std::string remarks;
  const auto add = [&](const std::string& remark) { remarks += (remarks.empty() ? "  " : ", ") + remark; };
  if (run.workers < run.asked) add(formatted("%zu of them idle", run.asked - run.workers));
  if (run.in_lockstep) add("fewer steps an epoch");
  if (run.extrapolated) add("extrapolated");
  if (busy) add("on a busy machine");
  return text + remarks + "\n";
}

/// A line that says that other programs used the CPUs, or that this is unknown; empty if they did not.
std::string load_line(bool busy, const cpu_load& load, const char* so) {
  const std::string what = load_text(load);
  if (what.empty()) return {};
  return std::string(busy ? "busy        " : "load        ") + what + (busy ? std::string("; ") + so : "") + "\n";
}

/// Fractions of CPU time, from 0 to 1; null: unknown.
nlohmann::ordered_json json_of(const cpu_load& load) {
  return {{"others_fraction", load.others ? nlohmann::ordered_json(*load.others) : nlohmann::ordered_json()},
          {"withheld_fraction", load.withheld},
          {"missed_fraction", load.missed}};
}

/// Null: no sign of load, but it is unknown what other programs took.
nlohmann::ordered_json told_busy(const cpu_load& load) {
  if (!is_busy(load) && !load.others) return nullptr;
  return is_busy(load);
}

nlohmann::ordered_json json_of(const advised_run& run, const cpu_load& load) {
  if (!run.refused.empty()) return {{"engine", run.engine}, {"workers", run.asked}, {"refused", run.refused}};
  return {{"engine", run.engine},
          {"workers", run.asked},
          {"training_workers", run.workers},
          {"sharing", std::string(name_of(run.sharing))},
          {"exchange_rows", run.exchange.rows},
          {"reason", run.reason},
          {"predicted_epoch_seconds", run.epoch_seconds},
          {"busy", told_busy(load)},
          {"predicted_by", run.extrapolated ? "extrapolation"
                           : run.probed     ? "probe"
                                            : "rule"},
          {"speed_up", run.speed_up},
          {"memory_bytes", run.bytes},
          {"in_lockstep", run.in_lockstep}};
}

}  // namespace

std::string advice_text(const sparse_view& rows, const advice& given, const checked_advice& checked,
                        column_scaling scale) {
  const bool scales = scale != column_scaling::none, busy = is_busy(given.load);
  const std::vector<measured_run>& measured = checked.runs;
  const row_meetings& met = given.meetings;
  std::string text = formatted("data        %zu rows, %zu columns, %zu nonzeros, %.1f MB\n", rows.rows(), rows.columns,
                               rows.nonzeros(), static_cast<double>(given.data_bytes) / 1e6);
  text += formatted("meetings    Omega %llu, Delta %.3g, rho %.3g, two rows have a column in common with chance %.3g",
                    static_cast<unsigned long long>(met.omega), met.delta, met.rho, met.conflict_rate);
  text += met.error > 0.0
              ? formatted(" (+- %.2g, by %zu rows against %zu)\n", met.error, met.looked_at, met.compared_with)
              : std::string("\n");
  text += given.curvature > 0.0 ? formatted("curvature   %.3g of the mean loss", given.curvature)
                                : std::string("curvature   unknown for this model");
  text += formatted("; step %.6g, %s\n", given.step, given.step_found ? "found" : "given or the model's");
  text += formatted("machine     %.4g ns a row, %.3g ns a line exchanged, %.3g ns a line shared\n", given.row_ns,
                    given.speed.lines.exchange_ns, given.speed.lines.shared_ns);
  text += load_line(busy, given.load, "predictions may be far off: run advise again on an idle machine");
  text += "\n";
  text += "engine      workers  sharing          ms/epoch speed-up         MB";
  text += measured.empty() ? "\n" : "  measured ms     off %\n";
  for (std::size_t i = 0; i < given.runs.size(); ++i)
    text += line_of(given.runs[i], measured.empty() ? nullptr : &measured[i], busy);
  const advised_run& best = given.runs[given.best];
  const value_choice values = choose_values(rows, given);
  text += "\nadvice      --engine " + best.engine;
  if (best.engine != "serial") text += formatted(" --workers %zu", best.workers);
  text += " --sharing auto" + (scales ? std::string(" --scale max_abs") : formatted(" --step %.6g", given.step)) +
          " --values " + values.values + "\n";
  text += "because     " + given.reason + "\n            values: " + values.reason + "\n";
  if (scales) text += "            scale: single columns outweigh all others, which would hardly learn\n";
  if (const auto lost = loss_of_advice(given, measured))
    text += formatted("measured    the advised run takes %.1f %% more than the fastest\n", 100.0 * *lost);
  if (!measured.empty())
    text += load_line(is_busy(checked.load), checked.load, "measured times are those of a busy machine");
  return text;
}

std::string advice_json(const train_request& request, const sparse_view& rows, const advice& given,
                        const checked_advice& checked, column_scaling scale) {
  const row_meetings& met = given.meetings;
  const std::vector<measured_run>& measured = checked.runs;
  const value_choice values = choose_values(rows, given);
  const advised_run& best = given.runs[given.best];
  nlohmann::ordered_json all = {{"data", request.data},
                                {"model", request.model},
                                {"rows", rows.rows()},
                                {"columns", rows.columns},
                                {"nonzeros", rows.nonzeros()},
                                {"data_bytes", given.data_bytes},
                                {"Omega", met.omega},
                                {"Delta", met.delta},
                                {"rho", met.rho},
                                {"conflict_rate", met.conflict_rate},
                                {"sampling_error", met.error},
                                {"curvature", given.curvature},
                                {"row_ns", given.row_ns},
                                {"line_ns", given.speed.lines.exchange_ns},
                                {"shared_ns", given.speed.lines.shared_ns},
                                {"step", given.step},
                                {"step_found", given.step_found},
                                {"search_seconds", given.search_seconds},
                                {"load", json_of(given.load)},
                                {"busy", told_busy(given.load)}};
  if (!measured.empty()) all["measured_load"] = json_of(checked.load), all["measured_busy"] = told_busy(checked.load);
  auto& runs = all["runs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < given.runs.size(); ++i) {
    runs.push_back(json_of(given.runs[i], given.load));
    if (measured.empty() || measured[i].epoch_seconds == 0.0) continue;
    runs.back()["measured_epoch_seconds"] = measured[i].epoch_seconds;
    runs.back()["least_epoch_seconds"] = measured[i].least_seconds;
    runs.back()["measured_workers"] = measured[i].workers;
  }
  all["advice"] = {{"engine", best.engine},  {"workers", best.workers},       {"sharing", "auto"},
                   {"step", given.step},     {"values", values.values},       {"scale", name_of(scale)},
                   {"reason", given.reason}, {"values_reason", values.reason}};
  if (const auto lost = loss_of_advice(given, measured)) all["advice"]["slower_than_fastest"] = *lost;
  return json_text(all) + "\n";
}

}  // namespace hogwild::cli
