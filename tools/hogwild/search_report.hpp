// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <hogwild/search.hpp>

#include "search_request.hpp"
#include "search_rows.hpp"
#include "search_trainer.hpp"

namespace hogwild::cli {

/// Shows a search's progress on stderr: on a terminal a redrawn table of the best trials, with the progress of current
/// trials below it; elsewhere a line for each result.
class search_display {
 public:
  search_display(const search_metric& metric, bool terminal) : metric_(metric), terminal_(terminal) {}
  /// From now on, on a terminal, a line shows `pace`, which outlives this, until clear() is called.
  void watch(const search_pace& pace);
  /// `notes` are printed once, and stay.
  void show(const search_progress& now, const std::vector<std::string>& notes);
  /// Erases the table.
  void clear();

 private:
  void draw_until(const std::stop_token& end, const search_pace& pace);
  void draw(const std::string& below);
  void erase();

  const search_metric& metric_;
  bool terminal_;
  std::mutex mutex_{};  ///< guards what follows, and the terminal
  std::condition_variable_any ended_{};
  std::string table_{};
  std::size_t drawn_ = 0;             ///< lines that are on the terminal
  std::vector<std::size_t> shown_{};  ///< epochs of each trial that were shown
  std::jthread watching_{};
};

/// As text: a table and how the search ended; so many `ranks` have shared it.
std::string search_text(const search_request& request, const search_result& result, std::size_t ranks);

/// As JSON: one object, one line; `ranks` have shared the search. Schema: bench/schema/search.schema.json.
std::string search_json(const search_request& request, const search_rows& rows, const search_result& result,
                        std::size_t ranks);

}  // namespace hogwild::cli
