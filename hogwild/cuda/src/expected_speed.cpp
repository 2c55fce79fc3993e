// SPDX-License-Identifier: Apache-2.0
#include "expected_speed.hpp"

#include <algorithm>
#include <cstdio>
#include <span>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/run/machine_speed.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild::device {
namespace {

std::string in_millions(double rows) {
  char text[32];
  const double millions = rows / 1e6;
  std::snprintf(text, sizeof text, "%.*f million", millions < 10.0 ? 1 : 0, millions);
  return text;
}

}  // namespace

double most_device_rows(const speed_facts& facts) {
  return 1e9 * static_cast<double>(facts.rows_in_flight) / least_row_ns;
}

double expected_cpu_rows(const speed_facts& facts) {
  const double cpus = static_cast<double>(facts.cpus) * (facts.cpus > 1 ? worker_efficiency : 1.0);
  return 1e9 * cpus / std::max(facts.cpu_row_ns, 1.0);
}

std::string why_cpus_are_faster(const speed_facts& facts) {
  const double device = most_device_rows(facts), cpu = expected_cpu_rows(facts);
  if (device >= cpu) return {};
  return "a device may train no more than " + std::to_string(facts.rows_in_flight) +
         (facts.rows_in_flight == 1 ? " row" : " rows") +
         " of this run at once, since more would harm the loss; so it trains at most " + in_millions(device) +
         " rows a second, and the CPU about " + in_millions(cpu) + ": --engine threads is expected to be faster";
}

void note_where_cpus_are_faster(run_planner& run) {
  const loop_options& o = run.loop();
  const auto devices = std::span(o.devices).first(o.device_count);
  if (std::ranges::count(devices, emulated_device) > 0) return;
  const std::string sentence = why_cpus_are_faster({.rows_in_flight = std::uint64_t{o.rows_in_flight} * o.device_count,
                                                    .cpu_row_ns = measure_row(run.task(), o, run.end_token()),
                                                    .cpus = worker_count()});
  if (!sentence.empty()) run.note(sentence);
}

}  // namespace hogwild::device
