// SPDX-License-Identifier: Apache-2.0
#include "search_report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/platform/threads.hpp>

#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

/// Lines of a table: as many as fit on a terminal and are useful.
constexpr std::size_t most_lines = 20;

std::string line_of(const trial& t, const search_metric& metric) {
  const std::string measured = std::isfinite(t.metric) ? formatted("%.6g", metric.turned(t.metric)) : "-";
  return formatted("%6zu %7zu  %12s  %-9s", t.number, t.epochs, measured.c_str(),
                   std::string(to_string(t.state)).c_str()) +
         printable(to_text(t.options));
}

/// A heading, and the best trials: of those that were trained, those with most epochs first, then by metric.
std::string table_of(std::span<const trial> trials, const search_metric& metric) {
  std::vector<const trial*> trained;
  for (const trial& t : trials)
    if (t.epochs > 0) trained.push_back(&t);
  std::ranges::sort(trained, [](const trial* a, const trial* b) {
    const auto key = [](const trial* t) {
      return std::tuple(!std::isfinite(t->metric), t->state != trial_state::done, -static_cast<double>(t->epochs),
                        t->metric, t->number);
    };
    return key(a) < key(b);
  });
  std::string text =
      formatted("%6s %7s  %12s  %-9s%s\n", "trial", "epochs", std::string(metric.name).c_str(), "state", "options");
  for (std::size_t k = 0; k < std::min(trained.size(), most_lines); ++k) text += line_of(*trained[k], metric) + "\n";
  if (trained.size() > most_lines)
    text += "       and " + std::to_string(trained.size() - most_lines) + " more, which are no better\n";
  return text;
}

std::size_t count_of(const search_result& r, trial_state state) {
  return static_cast<std::size_t>(std::ranges::count(r.trials, state, &trial::state));
}

nlohmann::ordered_json json_of(const trial& t, const search_metric& metric) {
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const given_option& o : t.options) options[o.name] = o.text;
  nlohmann::ordered_json line{{"trial", t.number},  {"options", std::move(options)}, {"bracket", t.bracket},
                              {"epochs", t.epochs}, {"state", to_string(t.state)},   {"metric", nullptr}};
  // JSON cannot express infinity.
  const auto told = [&](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(metric.turned(value)) : nlohmann::ordered_json(nullptr);
  };
  line["metric"] = told(t.metric);
  line["measured"] = nlohmann::ordered_json::array();
  for (const trial_result& r : t.measured) line["measured"].push_back({r.epochs, told(r.metric)});
  return line;
}

nlohmann::ordered_json machine_json() {
  const machine_facts m = this_machine();
  nlohmann::ordered_json object{{"cpu_model", m.cpu_model},       {"logical_cpus", m.logical_cpus},
                                {"usable_cpus", m.usable_cpus},   {"numa_nodes", m.numa_nodes},
                                {"memory_bytes", m.memory_bytes}, {"kernel", m.kernel}};
  if (m.cpu_quota) object["cpu_quota"] = *m.cpu_quota;
  if (m.governor) object["governor"] = *m.governor;
  return object;
}

}  // namespace

void search_display::watch(const search_pace& pace) {
  if (terminal_) watching_ = start_thread([this, &pace](const std::stop_token& end) { draw_until(end, pace); });
}

void search_display::draw_until(const std::stop_token& end, const search_pace& pace) {
  std::unique_lock lock(mutex_);
  while (!end.stop_requested()) {
    const std::size_t all = pace.all(), done = std::min(pace.done(), all);
    if (all > 0)
      draw("at hand: " + std::to_string(done) + " of " + std::to_string(all) + " epochs, " +
           std::to_string(100 * done / all) + " %\n");
    ended_.wait_for(lock, end, std::chrono::milliseconds(200), [] { return false; });
  }
}

void search_display::erase() {
  if (drawn_ == 0) return;
  std::fprintf(stderr, "\x1b[%zuA\x1b[J", drawn_);
  std::fflush(stderr);
  drawn_ = 0;
}

/// Draws the table, and a line below it if it is not empty.
void search_display::draw(const std::string& below) {
  erase();
  const std::string text = table_ + below;
  drawn_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  // Long lines are cut, not wrapped, so that each takes one line.
  std::fprintf(stderr, "\x1b[?7l%s\x1b[?7h", text.c_str());
  std::fflush(stderr);
}

void search_display::clear() {
  watching_ = {};
  const std::lock_guard lock(mutex_);
  erase();
}

void search_display::show(const search_progress& now, const std::vector<std::string>& notes) {
  const std::lock_guard lock(mutex_);
  erase();
  for (const std::string& note : notes) say(note);
  if (terminal_) {
    table_ = table_of(now.trials, metric_);
    return draw("");
  }
  shown_.resize(now.trials.size());
  for (const trial& t : now.trials) {
    if (t.epochs == shown_[t.number]) continue;
    shown_[t.number] = t.epochs;
    std::fprintf(stderr, "hogwild: trial%s\n", line_of(t, metric_).c_str());
  }
}

std::string search_text(const search_request& request, const search_result& r, std::size_t ranks) {
  std::string text = table_of(r.trials, *request.metric);
  text += formatted("\ntrials      %zu: %zu done, %zu stopped, %zu diverged, %zu waiting\n", r.trials.size(),
                    count_of(r, trial_state::done), count_of(r, trial_state::stopped),
                    count_of(r, trial_state::diverged), count_of(r, trial_state::waiting));
  text += "results     " + std::to_string(r.trained) + " trained";
  if (r.replayed > 0) text += ", " + std::to_string(r.replayed) + " from the journal";
  text += formatted("; %.2f s%s\n", r.seconds, r.finished ? "" : ", stopped before the end");
  if (!r.best) return text;
  const trial& best = r.trials[*r.best];
  text += formatted("best        trial %zu: %s %.6g after %zu epochs\n", best.number,
                    std::string(request.metric->name).c_str(), request.metric->turned(best.metric), best.epochs);
  text += "train       " + printable(train_command_for(request, best)) + "\n";
  if (ranks > 1) text += "            for one process, as each trial was; several ranks would train otherwise\n";
  return text;
}

std::string search_json(const search_request& request, const search_rows& rows, const search_result& r,
                        std::size_t ranks) {
  const search_options& o = request.options;
  nlohmann::ordered_json all{
      {"kind", "search"},
      {"schema", 1},
      {"version", build_info.version},
      {"commit", build_info.commit},
      {"build_type", build_info.build_type},
      {"compiler", build_info.compiler},
      {"machine", machine_json()},
      {"data", request.base.data},
      {"rows", rows.all.part.rows()},
      {"columns", rows.all.part.columns},
      {"folds", request.folds.value_or(0)},
      {"validation_rows", request.folds ? rows.all.part.rows() : rows.parts[0].validation.rows()},
      {"strategy", name_of(o.strategy)},
      {"space", request.spaces},
      {"options", request.words},
      {"epochs", o.epochs},
      {"seed", o.seed},
      {"ranks", ranks},
      {"side_by_side", request.side_by_side},
      {"metric", request.metric->name}};
  if (o.strategy == strategy_kind::halving || o.strategy == strategy_kind::hyperband) all["eta"] = o.eta;
  all["finished"] = r.finished;
  all["trained"] = r.trained;
  all["replayed"] = r.replayed;
  all["seconds"] = r.seconds;
  all["trials"] = nlohmann::ordered_json::array();
  for (const trial& t : r.trials) all["trials"].push_back(json_of(t, *request.metric));
  if (r.best) {
    all["best"] = json_of(r.trials[*r.best], *request.metric);
    all["best"]["command"] = train_command_for(request, r.trials[*r.best]);
    all["best"]["command_ranks"] = 1;  // trials were trained by one rank, however many shared them
  }
  return json_text(all);
}

}  // namespace hogwild::cli
