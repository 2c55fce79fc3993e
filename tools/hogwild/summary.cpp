// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/detail/results/result_json.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/names.hpp>

#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

std::string step_text(const train_request& request, const train_result& r) {
  if (r.examples == 0) return "none was taken";  // nobody knows whether one was found
  std::string text = formatted("%.6g", r.step);
  if (!request.options.resume.empty())
    text += request.options.step.initial ? ", from the checkpoint, not as given" : ", from the checkpoint";
  else if (request.options.step.initial)
    text += ", as given";
  else if (r.step_found)
    text += formatted(", found in %.2f s", r.search_seconds);
  else
    text += ", the model's";
  text += "; " + std::string(name_of(r.schedule));
  if (r.schedule != schedule_kind::constant) text += formatted(" decay %.6g", r.decay);
  return text;
}

/// Parameters that l1 has made exactly 0.
std::size_t zeros_of(const train_result& r) {
  return static_cast<std::size_t>(std::ranges::count(r.parameters, 0.0f));
}

std::string engine_text(const train_request& request) {
  return std::string(std::ranges::find(engine_names, request.engine, &detail::enumerator<engine_name>::value)->word);
}

}  // namespace

std::string measures_text(const measurement& m) {
  std::string text = formatted("loss %.6f", m.loss);
  for_each_measure(m, [&](const measure& each, double value) {
    text += ", " + std::string(each.title) + " " + formatted(each.format, value);
  });
  return text;
}

void put_measures(nlohmann::ordered_json& into, const std::string& prefix, const measurement& m) {
  into[prefix + "loss"] = m.loss;
  for_each_measure(m, [&](const measure& each, double value) { into[prefix + std::string(each.name)] = value; });
}

bool saves(const train_request& request, const train_result& result) {
  if (request.save.empty()) return false;
  if (result.status == run_status::diverged) return request.save_diverged && std::isfinite(result.objective);
  // If several models were stopped, some may not have been begun.
  const bool any_rows = result.examples > 0 && !request.several.any();
  return result.status != run_status::stopped || result.epochs > 0 || any_rows;
}

std::string summary_text(const train_request& request, const train_result& r, const folds_outcome& folds) {
  const std::string_view status = to_string(r.status);
  std::string text = "status      " + std::string(status) + formatted(" after %zu epochs", r.epochs);
  if (r.stopped_by == stop_cause::observer) text += ", by an observer";
  if (r.stopped_by == stop_cause::time_limit) text += ", the seconds of --max-seconds";
  text += "\nmodel       " + request.model;
  if (request.options.l1 > 0.0) text += formatted(", l1 %.6g", request.options.l1);
  text += formatted(", l2 %.6g", r.l2);
  if (!r.l2_tried.empty()) text += formatted(", found by %zu folds", r.l2_tried.front().measured.folds.size());
  if (request.options.l1 > 0.0) text += formatted("; %zu of %zu parameters are 0", zeros_of(r), r.parameters.size());
  if (r.scale != column_scaling::none) text += "; columns divided (scale " + std::string(name_of(r.scale)) + ")";
  if (!r.first_layer.empty()) text += ", its first layer " + r.first_layer;
  if (!r.last_layer.empty() && r.last_layer != "full") text += ", its last layer " + r.last_layer;
  if (r.samples > 0) text += formatted(" (%zu draws by ", r.samples) + r.sampled_by + ")";
  if (r.class_loss == "one_vs_rest") text += ", each class against the rest";
  text += several_text(request, r);
  text +=
      formatted("\nengine      %s, %zu worker%s", engine_text(request).c_str(), r.workers, r.workers == 1 ? "" : "s");
  if (request.ranks > 1) text += formatted(" in rank 0 of %zu ranks", request.ranks);
  if (r.workers_replaced > 0) text += formatted(", %zu replaced", r.workers_replaced);
  if (request.storage == storage_kind::half && r.devices.empty()) text += ", factors in half storage";
  if (r.ring) {
    text +=
        formatted("\nring        %zu replicas on %s, %s; %llu exchanges of %.1f KB, %llu waits, %llu tokens taken over",
                  r.ring->replicas, nodes_text(r.ring->nodes).c_str(), std::string(name_of(request.exchange)).c_str(),
                  static_cast<unsigned long long>(r.ring->exchanges),
                  static_cast<double>(r.ring->bytes) / 1e3 / std::max(1.0, static_cast<double>(r.ring->exchanges)),
                  static_cast<unsigned long long>(r.ring->waits), static_cast<unsigned long long>(r.ring->taken_over));
  }
  if (r.link) {
    text += formatted("\nranks       %zu; rank 0 took %llu turns and sent %.1f KB, waited %.3f s for the others",
                      r.link->ranks, static_cast<unsigned long long>(r.link->exchanges),
                      static_cast<double>(r.link->bytes) / 1e3, r.link->waited_seconds);
  }
  if (r.meetings) {
    const double meetings = std::max(1.0, static_cast<double>(r.meetings->dense + r.meetings->sparse));
    text += formatted("\nmeetings    %llu of arrays, %llu of pairs; %.1f KB of each rank a meeting, %.3f s in all",
                      static_cast<unsigned long long>(r.meetings->dense),
                      static_cast<unsigned long long>(r.meetings->sparse),
                      static_cast<double>(r.meetings->bytes) / 1e3 / meetings, r.meetings->seconds);
  }
  for (const device_report& d : r.devices)
    text += formatted("\ndevice      %s, %s memory%s; at most %llu rows at once, %llu in all", d.name.c_str(),
                      d.memory.c_str(), d.storage == "half" ? ", factors in half storage" : "",
                      static_cast<unsigned long long>(d.rows_in_flight), static_cast<unsigned long long>(d.rows)) +
            (d.block_bytes == 0 ? ""
                                : formatted("; its rows in two blocks of %llu bytes by turns",
                                            static_cast<unsigned long long>(d.block_bytes))) +
            (d.exchange.empty() ? "" : "; replicas exchange by " + d.exchange);
  text += "\nstep        " + step_text(request, r);
  if (r.status == run_status::stopped && std::isnan(r.train_loss))
    text += "\ntrain loss  not measured";
  else
    text += formatted("\ntrain loss  %.6f\nobjective   %.6f", r.train_loss, r.objective);
  if (r.gap) text += formatted(", at most %.2g of it above the optimum", *r.gap);
  if (r.validation) text += "\nvalidation  " + measures_text(*r.validation);
  if (r.test && r.test->cut) {
    text += formatted("\ncut         %.10g", *r.test->cut);
    if (r.test->accuracy)
      text += formatted("; %.4f of the labelled nodes that are no terminals are right", *r.test->accuracy);
  } else if (r.test) {
    text += "\ntest        " + measures_text(*r.test);
  }
  if (r.seconds_to_target) text += formatted("\ntarget      reached after %.3f s of training", *r.seconds_to_target);
  text += formatted("\ntime        %.3f s of training, %.3f s in all", r.train_seconds, r.wall_seconds);
  if (r.disk_wait_seconds > 0.0)
    text += formatted("\ndisk        workers waited %.3f s for rows, all together", r.disk_wait_seconds);
  if (r.train_seconds > 0.0) {
    text += formatted("; %.1f M nonzeros/s", static_cast<double>(r.nonzeros) / r.train_seconds / 1e6);
  }
  return text + "\n" + folds_text(r, folds);
}

std::string summary_json(const train_request& request, const train_result& r, const folds_outcome& folds) {
  nlohmann::ordered_json all = {{"status", to_string(r.status)},   {"model", request.model},
                                {"engine", engine_text(request)},  {"workers", r.workers},
                                {"ranks", request.ranks},          {"epochs", r.epochs},
                                {"examples", r.examples},          {"updates", r.updates},
                                {"nonzeros", r.nonzeros},          {"step", r.step},
                                {"step_found", r.step_found},      {"decay", r.decay},
                                {"schedule", name_of(r.schedule)}, {"l2", r.l2},
                                {"l2_found", !r.l2_tried.empty()}, {"scale", name_of(r.scale)},
                                {"train_loss", r.train_loss},      {"objective", r.objective}};
  if (r.gap) all["gap"] = *r.gap;
  if (r.stopped_by) all["stopped_by"] = to_string(*r.stopped_by);
  if (request.options.l1 > 0.0) all["l1"] = request.options.l1, all["zeros"] = zeros_of(r);
  if (!r.first_layer.empty()) all["first_layer"] = r.first_layer;
  if (!r.last_layer.empty()) all["last_layer"] = r.last_layer;
  if (!r.class_loss.empty()) all["class_loss"] = r.class_loss;
  if (r.samples > 0) all["samples"] = r.samples, all["sampled_by"] = r.sampled_by;
  put_several(all, request, r);
  put_folds(all, r, folds);
  if (r.validation) put_measures(all, "validation_", *r.validation);
  if (r.test) put_measures(all, "test_", *r.test);
  all["train_seconds"] = r.train_seconds;
  all["wall_seconds"] = r.wall_seconds;
  all["search_seconds"] = r.search_seconds;
  all["cpu_seconds"] = r.cpu_seconds;
  if (r.seconds_to_target) all["seconds_to_target"] = *r.seconds_to_target;
  all["rows_lost"] = r.rows_lost;
  all["workers_replaced"] = r.workers_replaced;
  if (r.ring) all["ring"] = {{"replicas", r.ring->replicas}, {"exchange", name_of(request.exchange)}};
  detail::put_usage(all, r);
  if (saves(request, r)) all["saved"] = request.save;
  // JSON cannot express a loss that is not finite: the library writes null.
  return json_text(all) + "\n";
}

}  // namespace hogwild::cli
