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

/// A value of an option, given by the user or chosen.
using record_value = std::variant<bool, std::int64_t, double, std::string>;

/// The data of a run, in the symbols of the Hogwild! analysis.
struct record_dataset {
  std::string path;             ///< "-" for standard input, "memory" for rows in memory
  std::uint64_t rows = 0;       ///< n
  std::uint64_t columns = 0;    ///< d: columns that occur
  std::uint64_t nonzeros = 0;   ///< nnz
  std::uint64_t omega = 0;      ///< Omega: entries of the longest row
  double delta = 0;             ///< Delta: rows with the most popular column / n
  unsigned index_bits = 32;     ///< stored width of a column number
  unsigned value_bits = 32;     ///< stored width of a value
  std::optional<double> rho{};  ///< largest fraction of rows that share a column with one row; nothing if not computed
  std::optional<std::uint64_t> test_rows{};
};

/// First line: what ran, where, on what.
struct record_context {
  std::string version, commit, build_type, compiler;
  machine_facts machine{};
  std::vector<std::pair<std::string, record_value>> options{};  ///< in the order of writing; names are distinct
  record_dataset dataset{};
};

/// A run record: one JSON object a line (schema: bench/schema/run_record.schema.json). Every line is a single write to
/// the file, so that a reader that follows it never reads half a line. A line that does not fit on a full disk is
/// removed again. Lines omit what was not measured. A number that is not finite is written as null, since JSON cannot
/// express it; a result whose loss is not finite has the status "diverged", whatever its status was. One thread at a
/// time may use a record.
class run_record {
 public:
  /// Version of the lines' layout: "schema" in the context line.
  static constexpr int schema = 2;

  /// Creates the file (mode 0666 less the umask), or empties it: it grows during the run, instead of appearing at its
  /// end. A device, a FIFO (whose reader is waited for) or a descriptor such as /dev/stderr is written in place; a link
  /// is followed. Throws input_error if the path cannot be written ("-" is not a path here), resource_error if the
  /// system has no room.
  explicit run_record(const std::string& path);
  /// For a resumed run: appends to an existing record, without a last line that a killed writer may have left
  /// unfinished; otherwise makes a new one. Throws what the constructor throws, and input_error for a file that is not
  /// a record.
  static run_record go_on(const std::string& path);
  /// Whether a record existed.
  bool goes_on() const noexcept;
  run_record(run_record&&) noexcept;
  run_record& operator=(run_record&&) noexcept;
  ~run_record();

  // Each throws resource_error or input_error if the line cannot be written whole; then the file ends as before.
  void write(const record_context& line);
  /// Instead of a first line, in a record that is continued: the run is resumed after `epoch`, by this program, with
  /// these options. The record's lines of later epochs were lost, and these epochs are trained again. Also throws
  /// input_error if the record is of another model or other data.
  void write_resumed(const record_context& line, std::uint64_t epoch);
  void write(const epoch_report& line);
  /// `advice`: what the user could do better. A stopped run that measured nothing has no losses in its line.
  void write(const train_result& line, const std::optional<std::string>& advice = {});

 private:
  struct file;
  explicit run_record(std::unique_ptr<file> opened);
  std::unique_ptr<file> file_;
};

}  // namespace hogwild
