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

#include "search_pace.hpp"
#include "search_request.hpp"
#include "search_rows.hpp"

namespace hogwild::cli {

/// Shows on stderr how a search goes: on a terminal a table of the best trials that is drawn again and again, and below
/// it how far those at hand have come; elsewhere a line for each result.
class search_display {
 public:
  search_display(const search_metric& metric, bool terminal) : metric_(metric), terminal_(terminal) {}
  /// From here on, on a terminal, a line tells how far `pace` is, which outlives this, until clear() is called.
  void watch(const search_pace& pace);
  /// With sentences that are told once, and stay.
  void show(const search_progress& now, const std::vector<std::string>& notes);
  /// Takes the table away.
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
  std::size_t drawn_ = 0;             ///< lines that stand on the terminal
  std::vector<std::size_t> shown_{};  ///< epochs of each trial that were shown
  std::jthread watching_{};
};

/// For people: a table and how it ended, of a search by so many ranks.
std::string search_text(const search_request& request, const search_result& result, std::size_t ranks);

/// For machines: one JSON object, one line, of a search by so many ranks. Schema: bench/schema/search.schema.json.
std::string search_json(const search_request& request, const search_rows& rows, const search_result& result,
                        std::size_t ranks);

}  // namespace hogwild::cli
