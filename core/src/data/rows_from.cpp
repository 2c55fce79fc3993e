// SPDX-License-Identifier: Apache-2.0
#include <hogwild/rows.hpp>

#include <new>
#include <string>

#include <hogwild/detail/data/row_numbers.hpp>
#include <hogwild/error.hpp>

#include "data/array_places.hpp"

namespace hogwild {
namespace {

using places = detail::array_places;

void require_one_a_row(std::size_t numbers, std::size_t rows, const std::string& array) {
  if (numbers != rows)
    throw input_error(array + " has " + std::to_string(numbers) + " numbers for " + std::to_string(rows) +
                      " rows; give one a row");
}

void require_lists(std::size_t lists, std::size_t rows, const std::string& place) {
  if (lists != rows)
    throw input_error(place + "label_start tells of " + std::to_string(lists) + " rows and row_start of " +
                      std::to_string(rows) + "; both have one number more than there are rows");
}

/// `part` counts from 1; 0: there is only one.
void add_rows(const csr_arrays& from, std::size_t part, const row_options& options, detail::row_gatherer& to) {
  const std::string place = options.name + (part > 0 ? ": piece " + std::to_string(part) : "") + ": ";
  if (from.index.size() != from.value.size())
    throw input_error(place + "index has " + std::to_string(from.index.size()) + " numbers and value has " +
                      std::to_string(from.value.size()) + "; an entry has one of both");
  const places rows(from.row_start, from.index.size(), place + "row_start", "index");
  const places lists(from.label_start, from.label.size(), place + "label_start", "label");
  const bool has_lists = !from.label_start.empty();
  if (has_lists)
    require_lists(lists.rows(), rows.rows(), place);
  else if (!options.labels_optional || !from.label.empty())
    require_one_a_row(from.label.size(), rows.rows(), place + "label");
  if (!from.weight.empty()) require_one_a_row(from.weight.size(), rows.rows(), place + "weight");
  if (!from.offset.empty()) require_one_a_row(from.offset.size(), rows.rows(), place + "offset");
  if (!from.id.empty()) require_one_a_row(from.id.size(), rows.rows(), place + "id");
  detail::require_exact_labels(from.label, place + "label");
  if (to.borrow(from, part)) return;
  std::vector<double> list;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::size_t first = rows.begin(r), entries = rows.size(r);
    detail::row_gatherer::row row{.index = from.index.subspan(first, entries),
                                  .value = from.value.subspan(first, entries)};
    row.part = part, row.number = r + 1, row.first = first;
    if (has_lists) {
      list.clear();
      for (std::size_t k = 0; k < lists.size(r); ++k) list.push_back(from.label[lists.begin(r) + k]);
      if (list.empty())
        throw input_error(place + "the list of labels of row " + std::to_string(r + 1) +
                          " is empty; give it one label at least, or leave the row out");
      row.list = list;
    } else if (!from.label.empty()) {
      row.label = from.label[r];
    }
    if (!from.weight.empty()) row.weight = from.weight[r];
    if (!from.offset.empty()) row.offset = from.offset[r];
    if (!from.id.empty()) row.id = from.id[r];
    to.add(row);
  }
}

}  // namespace

sparse_dataset rows_from(const csr_arrays& rows, const row_options& options) {
  return rows_from(std::span(&rows, 1), options);
}

sparse_dataset rows_from(std::span<const csr_arrays> pieces, const row_options& options) {
  detail::row_gatherer gatherer(options);
  for (std::size_t i = 0; i < pieces.size(); ++i) add_rows(pieces[i], pieces.size() > 1 ? i + 1 : 0, options, gatherer);
  return gatherer.finish();
}

}  // namespace hogwild
