// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <hogwild/detail/platform/machine.hpp>

#include "ceiling.hpp"
#include "ingest_speed.hpp"
#include "scaling.hpp"
#include "shared_memory.hpp"
#include "speedup.hpp"
#include "telemetry_cost.hpp"

namespace hogwild::bench {

/// The record of one call, as JSON lines (schema: bench/schema/scaling.schema.json): a context, then a line for each
/// thing measured. Lines are written as they come.
class bench_record {
 public:
  static constexpr int schema = 2;

  /// Creates the folder and the file scaling.jsonl in it; an empty folder name writes nothing. Throws input_error.
  explicit bench_record(const std::string& folder);

  void write(const bench_options& options, const workload& data, const machine_facts& machine);
  void write(const stream_speed& speed);
  void write(const model_settings& settled);
  void write(const point_report& p, double fraction_of_ceiling, bool with_target);
  void write(const rival_report& r);
  void write(const speedup& s);
  void write_rounds(std::size_t asked, std::size_t done);
  void write(const telemetry_cost& cost);
  void write(const ingest_speed& speed);
  void write(const pss_report& report);

 private:
  template <class Json>
  void put(const Json& line);

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace hogwild::bench
