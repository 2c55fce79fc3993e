// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <bench/record_lines.hpp>

#include "ceilings.hpp"
#include "contests.hpp"
#include "sums.hpp"

namespace hogwild::bench {

/// The lines of the record, to a file or to standard output. docs/benchmarks.md and bench/schema/device.schema.json
/// describe them.
class device_record {
 public:
  /// Throws input_error if the file cannot be written; empty: standard output.
  explicit device_record(const std::string& path) : lines_(path) {}

  /// All throw resource_error if they cannot be written.
  void put_context(const device::device_facts& facts);
  void put(const ceilings& found, const std::string& device);
  void put(const workload& work, const reference& by);
  void put(const workload& work, const contestant& who, const contest& outcome);
  /// A kernel's rate; `by` is given if the ceilings of its device are known.
  void put_rate(const workload& work, const std::string& device, const training_way& way, std::uint32_t rows_in_flight,
                double rows_per_second, const std::optional<row_bound>& by);
  /// How many times sooner `name` reached the target than `other`.
  void put_ratio(const workload& work, const std::string& name, const std::string& other, double value);
  void put(const sum_seconds& found);
  void put_skipped(const std::string& task, const std::string& name, const std::string& reason);
  void put_end(bool cut);

 private:
  record_lines lines_;
};

}  // namespace hogwild::bench
