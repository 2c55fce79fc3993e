// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/number_arrays.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

struct csr_arrays;
struct row_options;

namespace detail {

/// Takes a program's rows one by one, and makes a dataset of them like that of a file.
class row_gatherer {
 public:
  /// A row, borrowed for the call.
  struct row {
    whole_numbers index{};
    real_numbers value{};
    double label = 0.0;
    std::span<const double> list{};  ///< used instead, if it has a list of labels
    std::optional<float> weight{}, offset{};
    std::optional<std::uint32_t> id{};
    // Origin of the row, for messages: the part if there are several, and the place of its first entry in the arrays.
    std::size_t part = 0;    ///< from 1; 0: there is only one part
    std::size_t number = 0;  ///< of the row, from 1
    std::size_t first = 0;
  };

  /// Keeps a copy of the options. Throws config_error if they do not go together.
  explicit row_gatherer(const row_options& options);
  ~row_gatherer();
  row_gatherer(const row_gatherer&) = delete;
  row_gatherer& operator=(const row_gatherer&) = delete;

  /// Throws input_error, with the place, if the row is invalid, and resource_error as rows_from() does.
  void add(const row& row);
  /// Takes all rows of a piece as they lie in its arrays, which must live until finish() has returned. `part` as in
  /// row; row_start ascends within the arrays, and sizes fit. Returns false, and takes none, if some row needs add()
  /// because it has to be checked or copied.
  bool borrow(const csr_arrays& piece, std::size_t part);
  /// The rows as a dataset; call once. Throws as rows_from() does.
  sparse_dataset finish();

 private:
  class implementation;
  std::unique_ptr<implementation> own_;
};

/// The id of row `number`, counted from 1, of `name`. Throws input_error if it does not fit 32 bits.
template <std::integral Id>
std::uint32_t row_id(Id id, const std::string& name, std::size_t number) {
  if (!std::in_range<std::uint32_t>(id)) {
    throw input_error(name + ": row " + std::to_string(number) + " has the number " + std::to_string(id) +
                      "; numbers of rows are from 0 to 4294967295");
  }
  return static_cast<std::uint32_t>(id);
}

}  // namespace detail
}  // namespace hogwild
