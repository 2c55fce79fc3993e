// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/number_arrays.hpp>
#include <hogwild/detail/data/row_gatherer.hpp>

// Makes datasets of rows that a program holds, or makes one by one. They are treated like rows from a file.

namespace hogwild {

/// How a program's rows are read; like open_options for files.
struct row_options {
  std::string name = "the rows";  ///< their name in messages
  /// Null: training data, whose columns are ordered by falling popularity and whose rows are shuffled once. Otherwise
  /// the numbering of the training data, and the rows keep their order: for test and prediction data.
  const column_numbering* numbering = nullptr;
  /// Accepts rows without a label and gives them label 0: for prediction data.
  bool labels_optional = false;
  /// Upper bound of the number of columns; a larger index is refused. Default: column_limit.
  std::optional<std::size_t> columns{};
  /// The number of the column with index 0, in saved models, in numbering() and in files: 0 or 1. LIBSVM text counts
  /// from 1.
  std::uint32_t first_column = 0;
  value_precision values = value_precision::single;  ///< how values are stored
  std::optional<std::size_t> threads{};              ///< > 0; default: as many as this process may use
  /// Bytes that the rows may take until they are in their order, at least 16 MiB; default: a quarter of what this
  /// process may use. Rows beyond that go to unnamed files in `folder`.
  std::optional<std::uint64_t> memory{};
  /// Empty: all rows are held in memory, and if `memory` is given, rows beyond it are refused.
  std::filesystem::path folder{};
  /// Receives one sentence that says why rows take more memory than they should; default: the sink of
  /// set_default_notes().
  std::function<void(std::string_view)> note{};
};

/// Sparse rows in arrays (CSR), or a piece of them, as chunked readers or Arrow deliver them. Borrows the arrays: they
/// must live until rows_from() returns. All arrays of a piece without rows may be empty.
struct csr_arrays {
  /// One number more than there are rows, ascending: row r holds entries [row_start[r], row_start[r + 1]) of `index`
  /// and `value`. The first number may be above 0.
  whole_numbers row_start{};
  whole_numbers index{};  ///< columns, from 0, distinct within a row; in any order
  real_numbers value{};   ///< as many as columns; finite in single precision
  any_numbers label{};    ///< one a row, finite
  /// For rows with lists of labels: row r has label[label_start[r] .. label_start[r + 1]), at least one, distinct whole
  /// numbers in any order.
  whole_numbers label_start{};
  std::span<const float> weight{};      ///< one a row, as in sparse_dataset::set_weights(); empty: all are 1
  std::span<const float> offset{};      ///< one a row, as in sparse_dataset::set_offsets(); empty: all are 0
  std::span<const std::uint32_t> id{};  ///< one a row, returned as sparse_row::id; or empty
};

/// Copies the rows into an anonymous memory file, as narrowly as possible without loss; worker processes map it. The
/// columns of the dataset are those that occur; original() returns the caller's numbers.
///
/// Throws input_error, with the array and the place, if arrays do not fit together, an index is negative, too large or
/// twice in a row, a number is not finite, or there are no rows. Throws resource_error if memory or disk do not
/// suffice, and config_error for options that do not go together.
sparse_dataset rows_from(const csr_arrays& rows, const row_options& options = {});
/// The same for several pieces, one after the other. Some may have weights, offsets or lists of labels and others not.
sparse_dataset rows_from(std::span<const csr_arrays> pieces, const row_options& options = {});
/// Likewise.
inline sparse_dataset rows_from(const std::vector<csr_arrays>& pieces, const row_options& options = {}) {
  return rows_from(std::span<const csr_arrays>(pieces), options);
}

/// A program's row: sparse_row, or any type with `index`, `value` and `label`, and optionally `weight`, `offset`, `id`
/// and `classes`, a list of labels that replaces the label unless it is empty. If the ids of all rows are 0, the rows
/// have none.
template <class Row>
concept row_like = requires(const Row& row) {
  { row.index } -> std::convertible_to<whole_numbers>;
  { row.value } -> std::convertible_to<real_numbers>;
  { row.label } -> std::convertible_to<double>;
};

/// The rows of a range, which is traversed once: rows that are made one by one, or read from somewhere. Each row is
/// copied before the next is asked for. Throws as above, and passes on what the range throws; nothing is left behind
/// then.
template <std::ranges::input_range Rows>
requires row_like<std::remove_cvref_t<std::ranges::range_reference_t<Rows>>> sparse_dataset
rows_from(Rows&& rows, const row_options& options = {}) {
  detail::row_gatherer gatherer(options);
  std::vector<double> list;
  std::size_t number = 0;
  for (auto&& row : rows) {
    detail::row_gatherer::row taken{.index = row.index, .value = row.value, .label = static_cast<double>(row.label)};
    if constexpr (requires { row.classes; }) {
      list.assign(std::ranges::begin(row.classes), std::ranges::end(row.classes));
      taken.list = list;
    }
    if constexpr (requires { row.weight; }) taken.weight = static_cast<float>(row.weight);
    if constexpr (requires { row.offset; }) taken.offset = static_cast<float>(row.offset);
    if constexpr (requires { row.id; }) taken.id = detail::row_id(row.id, options.name, number + 1);
    taken.number = ++number;
    gatherer.add(taken);
  }
  return gatherer.finish();
}

/// How dense rows are read.
struct dense_options {
  std::size_t stride = 0;         ///< numbers from the beginning of a row to that of the next; 0: as many as columns
  std::size_t column_stride = 1;  ///< numbers from one column to the next. Columns one after the other, as Fortran
                                  ///< and Eigen store them: stride 1, and column_stride not less than the rows
  /// Copies the rows in the order in which the training set of a file is shuffled. Otherwise they stay in the order
  /// given, and values of single precision that lie row after row without gaps are borrowed.
  bool shuffle = true;
};

/// Dense rows in an array: row r has value[r * stride + c * column_stride] for each column c. A model with kernels for
/// dense rows trains them without indices, any other as sparse rows that have all columns; the trained model is the
/// same. Columns keep their numbers, from 0.
class dense_rows {
 public:
  /// One label a row. Borrowed arrays must outlive this. Throws input_error, with the place, if sizes do not fit or a
  /// value is not finite in single precision.
  dense_rows(real_numbers value, any_numbers label, std::size_t columns, const dense_options& options = {});

  /// Sets the weight of each row, in the order given: finite, not negative, at least one above 0; copied. Throws
  /// input_error for other weights. See sparse_view::weight.
  void set_weights(std::span<const float> weights);
  /// Sets the number that is added to the margin of each row, in the order given; finite; copied.
  void set_offsets(std::span<const float> offsets);

  /// Valid as long as this object is not moved or destroyed. Shuffled rows have ids.
  sparse_view view() const;
  std::size_t features() const { return column_.size(); }  ///< columns
  std::size_t rows() const { return label_.size(); }       ///< as many as labels

 private:
  std::span<const float> value_;  ///< the caller's; empty if the rows are copied
  std::vector<float> copied_;
  std::vector<double> label_;
  std::vector<std::uint32_t> order_;   ///< the number of each row among those given; empty: they are in that order
  std::vector<std::uint32_t> column_;  ///< 0, 1, ...
  std::vector<float> weight_, offset_;
};

}  // namespace hogwild
