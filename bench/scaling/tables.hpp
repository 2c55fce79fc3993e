// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <hogwild/detail/platform/machine.hpp>

#include "ceiling.hpp"
#include "ingest_speed.hpp"
#include "scaling.hpp"
#include "shared_memory.hpp"
#include "speedup.hpp"
#include "telemetry_cost.hpp"

// What people read, on standard output.

namespace hogwild::bench {

/// `half`: values were asked to be kept in half precision.
void print_context(const machine_facts& machine, const workload& data, bool half);
void print(const std::vector<stream_speed>& speeds);
/// `fractions[i]` is the fraction of the ceiling that the i-th point reached.
void print(const scaling_report& report, const std::vector<double>& fractions, bool with_target);
void print(const std::vector<speedup>& speedups);
/// `report` for our own figures beside theirs.
void print_rivals(const scaling_report& report);
void print(const telemetry_cost& cost);
void print(const ingest_speed& speed);
void print(const pss_report& report);

}  // namespace hogwild::bench
