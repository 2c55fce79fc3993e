// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace hogwild {
class search_space;
struct search_options;
}  // namespace hogwild

namespace hogwild::detail {

/// The first line of a search's journal: everything that its results and decisions depend on.
std::string journal_title(const search_space& space, const search_options& options);

/// The results of a search in an append-only file: a first line that identifies the search, then a JSON object for each
/// result. Each line is one write, so that a killed process leaves whole lines; a last line without its end, which may
/// be torn, is ignored. Nothing is flushed to the disk: a machine that fails may lose the last results, which are then
/// trained again. One process at a time holds a journal.
class search_journal {
 public:
  /// Opens the file, or begins it with `title`, a line of JSON without its newline. Throws input_error if it is the
  /// journal of another search, no journal, or cannot be written; config_error if another process holds it.
  search_journal(std::string path, const std::string& title);
  ~search_journal();
  search_journal(const search_journal&) = delete;
  search_journal& operator=(const search_journal&) = delete;

  /// The metric of a trial after `epochs` epochs, infinite if it diverged; nothing if it is not known.
  std::optional<double> find(std::size_t trial, std::size_t epochs) const;
  /// Adds a result. Throws resource_error if the disk is full.
  void add(std::size_t trial, std::size_t epochs, double metric);

 private:
  void read(const std::string& title);
  void take(const std::string& line, std::size_t number);
  void write(std::string line);

  std::string path_;
  int file_ = -1;
  std::map<std::pair<std::size_t, std::size_t>, double> results_;
};

}  // namespace hogwild::detail
