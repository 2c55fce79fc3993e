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

// Rows that a program holds, or makes one by one, as a dataset: what becomes of them is what becomes of the rows of a
// file.

namespace hogwild {

/// What rows of a program are read with, as open_options for files.
struct row_options {
  std::string name = "the rows";  ///< what messages call them
  /// Null: training data, whose columns are ordered by falling frequency and whose rows are shuffled once. Else the
  /// numbering of the training data, and the rows keep their order: test and prediction data.
  const column_numbering* numbering = nullptr;
  /// Rows without a label are accepted and get label 0: prediction data.
  bool labels_optional = false;
  /// How many columns there may be; a larger index is refused. Default: column_limit.
  std::optional<std::size_t> columns{};
  /// The number of the column that index 0 means, in saved models, in numbering(), in files: 0 or 1. LIBSVM text counts
  /// from 1.
  std::uint32_t first_column = 0;
  value_precision values = value_precision::single;  ///< how values are stored
  std::optional<std::size_t> threads{};              ///< > 0; default: as many as this process may use
  /// Bytes that the rows may take until they are in their order, at least 16 MiB; default: a quarter of what this
  /// process may use. Rows that are more go to files without a name in `folder`.
  std::optional<std::uint64_t> memory{};
  /// Empty: rows are held in memory, as many as they are; where `memory` is given, more are refused.
  std::filesystem::path folder{};
  /// Told in one sentence why rows take more memory than they should; default: the sink of set_default_notes().
  std::function<void(std::string_view)> note{};
};

/// Sparse rows in arrays (CSR), or a piece of them as a reader by pieces or Arrow gives it. Borrows the arrays: they
/// must live until rows_from() returns. A piece without rows may be empty altogether.
struct csr_arrays {
  /// One number more than there are rows, ascending: row r holds entries [row_start[r], row_start[r + 1]) of `index`
  /// and `value`. The first need not be 0.
  whole_numbers row_start{};
  whole_numbers index{};  ///< columns, from 0, distinct within a row; in any order
  real_numbers value{};   ///< as many; finite in single precision
  any_numbers label{};    ///< one a row, finite
  /// Where rows have lists of labels: row r has label[label_start[r] .. label_start[r + 1]), at least one, distinct
  /// whole numbers in any order.
  whole_numbers label_start{};
  std::span<const float> weight{};      ///< one a row, as sparse_dataset::set_weights(), or none: all weigh 1
  std::span<const float> offset{};      ///< one a row, as sparse_dataset::set_offsets(), or none: all are 0
  std::span<const std::uint32_t> id{};  ///< one a row, what sparse_row::id tells, or none
};

/// Copies the rows into an anonymous memory file, as narrow as they can be without loss; worker processes map it. The
/// columns of the dataset are those that occur; original() tells the caller's numbers.
///
/// Throws input_error where arrays do not hold together, an index is negative, too large or twice in a row, a number is
/// not finite, or there are no rows: it names the array and the place. Throws resource_error where memory or disk do
/// not suffice, and config_error for options that do not go together.
sparse_dataset rows_from(const csr_arrays& rows, const row_options& options = {});
/// The same of several pieces, one after the other. Not all need have weights, offsets and lists of labels.
sparse_dataset rows_from(std::span<const csr_arrays> pieces, const row_options& options = {});
inline sparse_dataset rows_from(const std::vector<csr_arrays>& pieces, const row_options& options = {}) {
  return rows_from(std::span<const csr_arrays>(pieces), options);
}

/// A row of a program: sparse_row, or anything with `index`, `value` and `label`, and if it likes `weight`, `offset`,
/// `id` and `classes`: a list of labels, instead of the label where it is not empty. Numbers of rows that are all 0 are
/// none.
template <class Row>
concept row_like = requires(const Row& row) {
  { row.index } -> std::convertible_to<whole_numbers>;
  { row.value } -> std::convertible_to<real_numbers>;
  { row.label } -> std::convertible_to<double>;
};

/// The rows of a range, which is walked once: rows that are made one by one, or read from somewhere. Each is copied
/// before the next is asked for. Throws as above, and what the range throws; then nothing stays behind.
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

/// How dense rows are taken.
struct dense_options {
  std::size_t stride = 0;  ///< numbers from one row's beginning to the next one's, >= columns; 0: as many as columns
  /// Rows are put in the order in which a training set of a file is shuffled, which copies them. Else they are in the
  /// order given, and values of single precision without a gap between rows are borrowed.
  bool shuffle = true;
};

/// Dense rows in an array, row after row: row r has value[r * stride .. r * stride + columns). They are trained without
/// indices where a model has kernels for that, else as sparse rows that have all columns; the model is the same.
/// Columns keep their numbers, from 0.
class dense_rows {
 public:
  /// One label a row. What is borrowed must outlive this. Throws input_error where sizes do not fit, or a value is not
  /// finite in single precision; it names the place.
  dense_rows(real_numbers value, any_numbers label, std::size_t columns, const dense_options& options = {});

  /// What rows weigh, one number a row in the order given: finite, none negative, one above 0; copied. Throws
  /// input_error for others. See sparse_view::weight.
  void set_weights(std::span<const float> weights);
  /// What is added to the margin of each row, likewise; finite. See sparse_view::offset.
  void set_offsets(std::span<const float> offsets);

  /// Valid as long as this object stays where it is. Rows that are shuffled know their numbers.
  sparse_view view() const;
  std::size_t features() const { return column_.size(); }  ///< columns
  std::size_t rows() const { return label_.size(); }       ///< as many as labels

 private:
  std::span<const float> value_;  ///< of the caller; empty where they are copied
  std::vector<float> copied_;
  std::vector<double> label_;
  std::vector<std::uint32_t> order_;   ///< the number of each row among those given; empty: that order
  std::vector<std::uint32_t> column_;  ///< 0, 1, ...
  std::vector<float> weight_, offset_;
};

}  // namespace hogwild
