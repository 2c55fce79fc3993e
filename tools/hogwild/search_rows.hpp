// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/members/folds.hpp>
#include <hogwild/detail/run/validation_split.hpp>

#include "ranks.hpp"
#include "search_request.hpp"

namespace hogwild::cli {

/// The data of a search: opened once, for all trials.
struct search_rows {
  /// The rows on which a trial is trained and measured; with folds there are several parts.
  struct part {
    sparse_view training, validation;
  };

  rank_rows all;
  std::optional<sparse_dataset> validation_file{};
  std::unique_ptr<const row_folds> folds{};
  std::unique_ptr<const validation_split> split{};
  std::vector<part> parts{};
};

/// Opens them and draws the rows to hold back. Throws what opening throws, and config_error and input_error for
/// impossible folds.
search_rows open_search_rows(const search_request& request);

/// What results depend on besides the options: sizes and checksums of the rows.
std::string identity_of(const search_rows& rows);

}  // namespace hogwild::cli
