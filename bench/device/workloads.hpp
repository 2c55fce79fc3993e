// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <generate/generate.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/options.hpp>

#include "ceilings.hpp"

namespace hogwild::bench {

/// The sizes of the generated data.
struct workload_sizes {
  std::size_t rows = 200'000;         ///< of text, in the shape of RCV1; a tenth of them is held out
  std::size_t ratings = 100'000'000;  ///< in the shape of Netflix's: 500,000 users, 20,000 items
  std::size_t factors = 128;
  std::size_t words = 10'000'000;  ///< in sentences of 20, with a hundredth as many different words
  std::size_t dimension = 100;     ///< of a word's vector
  std::size_t epochs = 0;          ///< 0: each workload's own
};

/// Rows, a model of them, and how it is trained.
struct workload {
  std::string name, settings;
  generate::rows rows;
  std::vector<std::uint32_t> degree;  ///< rows that have each column
  std::variant<logistic, softmax, factorization_machine, matrix_factorization, skip_gram> model;
  train_options options;

  sparse_view view() const {
    sparse_view all = rows.view();
    all.degree = degree;
    return all;
  }
};

/// How rows are trained.
struct training_way {
  update_kind update = update_kind::lossy;
  storage_kind storage = storage_kind::single;  ///< of factors on a device
  auto operator<=>(const training_way&) const = default;
};

/// A bound on the rows that a device trains in a second.
struct row_bound {
  std::string_view by;  ///< "copy", "adds" or "latency"
  double rows_per_second = 0;
};

/// The smallest of the bounds that apply to the workload's kernel. A rating copies two rows of factors in both
/// directions, and is read itself: copy. A row of text reads its entries from memory (copy), adds to scattered weights
/// in the cache (adds), and occupies its warp for a row's latency (latency). There is none for sentences: a window
/// reads a random number of words, and words are left out at random.
std::optional<row_bound> bound_of(const workload& work, const ceilings& device, const training_way& way,
                                  std::uint64_t rows_in_flight);

inline constexpr std::string_view workload_names[] = {"ratings", "logistic", "softmax", "machine", "words"};
/// Separated by commas.
std::string names_of_workloads();

/// The same data for the same sizes on every machine. Throws config_error for any other name.
workload make_workload(std::string_view name, const workload_sizes& sizes);

}  // namespace hogwild::bench
