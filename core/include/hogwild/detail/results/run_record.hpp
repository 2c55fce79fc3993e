// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// A value of an option, as the user gave it or as it was chosen.
using record_value = std::variant<bool, std::int64_t, double, std::string>;

/// The data of a run, in the symbols of the Hogwild! analysis.
struct record_dataset {
  std::string path;             ///< "-" for standard input, "memory" for rows that a program holds
  std::uint64_t rows = 0;       ///< n
  std::uint64_t columns = 0;    ///< d: columns that occur
  std::uint64_t nonzeros = 0;   ///< nnz
  std::uint64_t omega = 0;      ///< Omega: entries of the longest row
  double delta = 0;             ///< Delta: rows with the most frequent column / n
  unsigned index_bits = 32;     ///< stored width of a column number
  unsigned value_bits = 32;     ///< stored width of a value
  std::optional<double> rho{};  ///< largest fraction of rows that meet one row; nothing where not computed
  std::optional<std::uint64_t> test_rows{};
};

/// First line: what ran, where, on what.
struct record_context {
  std::string version, commit, build_type, compiler;
  machine_facts machine{};
  std::vector<std::pair<std::string, record_value>> options{};  ///< in the order of writing; names are distinct
  record_dataset dataset{};
};

/// A run record: one JSON object a line (schema: bench/schema/run_record.schema.json). Every line is one write to the
/// file, so that whoever follows it never reads half a line; one that does not find room, on a full disk, is taken
/// back. What was not measured is left out of its line. A number that is not finite is written as null, since JSON has
/// no other word for it; a result whose loss is not finite is written with the status "diverged" whatever it says. One
/// thread at a time may use a record.
class run_record {
 public:
  /// Version of the lines' layout: "schema" in the context line.
  static constexpr int schema = 2;

  /// Creates the file (mode 0666 less the umask), or empties it: it grows while the run goes on, instead of appearing
  /// at its end. What is no file, a device, a FIFO (whose reader is waited for) or a descriptor such as /dev/stderr, is
  /// written into; a link means what it leads to. Throws input_error where the path cannot be written ("-" is no path
  /// here), resource_error where the system has no room.
  explicit run_record(const std::string& path);
  /// Of a run that goes on: appends to a record that is there, less what a killed writer may have left of a last line,
  /// and makes a new one elsewhere. Throws what the constructor throws, and input_error for a file that is no record.
  static run_record go_on(const std::string& path);
  /// Whether there was one.
  bool goes_on() const noexcept;
  run_record(run_record&&) noexcept;
  run_record& operator=(run_record&&) noexcept;
  ~run_record();

  // Each throws resource_error or input_error where the line cannot be written whole; then the file ends as before.
  void write(const record_context& line);
  /// In the place of a first line, in a record that goes on: the run is resumed behind `epoch`, by this program, with
  /// these options. What the record has of later epochs was lost, and is trained again. Throws input_error where the
  /// record is of another model or other data, too.
  void write_resumed(const record_context& line, std::uint64_t epoch);
  void write(const epoch_report& line);
  /// `advice`: what the user could do better. Losses of a stopped run that measured nothing are left out.
  void write(const train_result& line, const std::optional<std::string>& advice = {});

 private:
  struct file;
  explicit run_record(std::unique_ptr<file> opened);
  std::unique_ptr<file> file_;
};

}  // namespace hogwild
