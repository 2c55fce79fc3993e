// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <generate/generate.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/options.hpp>

#include "ceilings.hpp"

namespace hogwild::bench {

/// How large the generated data are.
struct workload_sizes {
  std::size_t rows = 200'000;         ///< of text, in the shape of RCV1; a tenth of them is left out
  std::size_t ratings = 100'000'000;  ///< in the shape of Netflix's: 500,000 users, 20,000 items
  std::size_t factors = 128;
  std::size_t epochs = 0;  ///< 0: each workload's own
};

/// Rows, a model of them, and how it is trained.
struct workload {
  std::string name, settings;
  generate::rows rows;
  std::vector<std::uint32_t> degree;  ///< rows that have each column
  std::variant<logistic, softmax, matrix_factorization> model;
  train_options options;

  sparse_view view() const {
    sparse_view all = rows.view();
    all.degree = degree;
    return all;
  }
};

/// What bounds the rows that a device trains in a second.
struct row_bound {
  std::string_view by;  ///< "copy", "adds" or "latency"
  double rows_per_second = 0;
};

/// The smallest of those that hold for the workload's kernel. A rating moves two rows of factors there and back, and is
/// read itself: copy. A row of text reads its entries from memory (copy), adds to scattered weights in the cache
/// (adds), and keeps its warp for as long as a row takes (latency).
row_bound bound_of(const workload& work, const ceilings& device, update_kind update, std::uint64_t rows_in_flight);

inline constexpr std::string_view workload_names[] = {"ratings", "logistic", "softmax"};

/// The same data for the same sizes on every machine. Throws config_error for a name that is none of those.
workload make_workload(std::string_view name, const workload_sizes& sizes);

}  // namespace hogwild::bench
