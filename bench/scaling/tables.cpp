// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <cstdio>
#include <map>
#include <string>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/run/names.hpp>

#include "statistics.hpp"

namespace hogwild::bench {
namespace {

constexpr double mega = 1e6, giga = 1e9;

std::string number(const char* form, double x) {
  char text[64];
  std::snprintf(text, sizeof text, form, x);
  return text;
}

std::string target_of(const point_report& p) {
  std::vector<double> seconds;
  for (const run_outcome& run : p.runs) {
    if (!run.seconds_to_target) return "not reached";
    seconds.push_back(*run.seconds_to_target);
  }
  return number("%.3f", median(seconds));
}

void print_point(const point_report& p, double fraction, double serial_seconds, bool with_target) {
  std::printf("%-13s %-9s %7zu  %-6s  %-12s ", p.what.model.c_str(), std::string(name_of(p.what.engine)).c_str(),
              p.what.workers, std::string(hogwild::name_of(p.what.update)).c_str(), way_of(p.what).c_str());
  if (p.state != point_state::measured) {
    std::printf(" %s: %s\n", std::string(name_of(p.state)).c_str(), p.reason.c_str());
    return;
  }
  const double objective = p.runs.back().result.objective;
  const std::string speedup = serial_seconds > 0 ? number("%.2f", serial_seconds / p.median_seconds) : "-";
  std::printf("%9.4f  %9.4f  %9.4f  %7.0f  %6.1f %%  %6s  %.6f  %6.2f %%", p.median_seconds, p.min_seconds,
              p.max_seconds, p.nonzeros_per_second / mega, 100 * fraction, speedup.c_str(), objective,
              100 * p.worst_gap);
  if (with_target) std::printf("  %s", target_of(p).c_str());
  std::printf("\n");
}

}  // namespace

void print_context(const machine_facts& m, const workload& data, bool half) {
  std::printf("hogwild %s (%s, %s, %s)\n", std::string(build_info.version).c_str(),
              std::string(build_info.commit).c_str(), std::string(build_info.build_type).c_str(),
              std::string(build_info.compiler).c_str());
  std::printf("machine: %s, %zu of %zu CPUs", m.cpu_model.c_str(), m.usable_cpus, m.logical_cpus);
  if (m.cpu_quota) std::printf(" (quota %g)", *m.cpu_quota);
  std::printf(", %.0f GiB, Linux %s, governor %s\n", static_cast<double>(m.memory_bytes) / (1 << 30), m.kernel.c_str(),
              m.governor.value_or("unknown").c_str());
  const sparse_view rows = data.train().view();
  std::printf("data: %s, %zu rows x %zu columns, %zu nonzeros of %d + %d bits%s\n", data.name().c_str(), rows.rows(),
              data.train().features(), rows.nonzeros(), rows.has_narrow_index() ? 16 : 32,
              rows.has_narrow_value() ? 16 : 32, half ? ", values rounded to half precision" : "");
}

void print(const std::vector<stream_speed>& speeds) {
  for (const stream_speed& s : speeds) {
    std::printf("stream read: %.1f GB/s with %zu thread%s\n", s.bytes_per_second / giga, s.threads,
                s.threads == 1 ? "" : "s");
  }
}

void print(const scaling_report& report, const std::vector<double>& fractions, bool with_target) {
  for (const model_settings& m : report.models) {
    std::printf("%s: step %g, decay %.4f, l2 %g; serial reference %.6f\n", m.model.c_str(), m.step, m.decay, m.l2,
                m.objective);
  }
  std::printf("\n%-13s %-9s %7s  %-6s  %-12s %9s  %9s  %9s  %7s  %8s  %6s  %-8s  %8s%s\n", "model", "engine", "workers",
              "update", "sharing", "s/epoch", "min", "max", "M nnz/s", "ceiling", "serial", "objective", "gap",
              with_target ? "  s to target" : "");
  std::map<std::pair<std::string, update_kind>, double> serial;
  for (const point_report& p : report.points) {
    if (p.what.engine == engine_kind::serial) serial[{p.what.model, p.what.update}] = p.median_seconds;
  }
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const point_report& p = report.points[i];
    print_point(p, fractions[i], serial[{p.what.model, p.what.update}], with_target);
  }
}

void print(const std::vector<speedup>& speedups) {
  if (speedups.empty()) return;
  std::printf("\nover the whole schedule, of our own best one-worker run:\n");
  for (const speedup& s : speedups) {
    std::printf("  %-13s %-34s %6.2f times (epochs of %.4f s against %.4f s of %s), objective %+.3f %%\n",
                s.what.model.c_str(), words_of(s.what).c_str(), s.schedule_ratio, s.seconds, s.one_worker_seconds,
                s.one_worker.c_str(), 100 * s.objective_difference);
  }
}

void print(const telemetry_cost& cost) {
  std::printf("\ntelemetry: %s, %zu worker%s: epochs with it take %.4f of those without (noise: %.4f), %zu pairs\n",
              cost.model.c_str(), cost.workers, cost.workers == 1 ? "" : "s", cost.median_ratio, cost.noise_ratio,
              cost.with.size());
}

void print(const ingest_speed& speed) {
  std::printf("\n");
  for (const auto& line : speed.lines) {
    std::printf("ingest: %zu thread%s: %.0f MB/s (%.2f of one thread)\n", line.threads, line.threads == 1 ? "" : "s",
                line.bytes_per_second / mega, line.bytes_per_second / speed.lines.front().bytes_per_second);
  }
  std::printf("warm start: %.3f ms\n", speed.median_warm_seconds * 1e3);
}

void print(const pss_report& report) {
  std::printf("\n");
  for (const pss_line& line : report.lines) {
    std::printf("memory: %zu worker process%s and the supervisor: Pss %.1f MB, %.3f of one worker (cache: %.1f MB)\n",
                line.workers, line.workers == 1 ? "" : "es", static_cast<double>(line.bytes) / mega,
                static_cast<double>(line.bytes) / static_cast<double>(report.lines.front().bytes),
                static_cast<double>(report.cache_bytes) / mega);
  }
}

}  // namespace hogwild::bench
