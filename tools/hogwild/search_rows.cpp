// SPDX-License-Identifier: Apache-2.0
#include "search_rows.hpp"

#include <string>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/registry.hpp>

#include "model_from_request.hpp"

namespace hogwild::cli {
namespace {

/// The classes of the rows, or real where the labels are numbers.
label_map known_labels(const search_request& request, const sparse_view& rows) {
  train_request asked = request.base;
  const label_kind kind =
      rows.label.lists() ? label_kind::real : labels_of(model_of(asked, rows, agreement(nullptr), nullptr));
  if (kind == label_kind::real) return {kind, {}};
  return label_map::learn(kind, rows.label, request.base.data);
}

std::string sizes_of_rows(const sparse_view& rows) {
  std::vector<double> labels(rows.label.begin(), rows.label.end());
  std::vector<std::uint64_t> starts(rows.row_start.begin(), rows.row_start.end());
  const std::uint64_t sum = detail::checksum(std::span<const double>(labels)) ^
                            detail::checksum(std::span<const std::uint64_t>(starts)) ^ detail::checksum(rows.original) ^
                            detail::checksum(rows.weight) ^ detail::checksum(rows.offset);
  return std::to_string(rows.rows()) + " rows, " + std::to_string(rows.columns) + " columns, " +
         std::to_string(rows.nonzeros()) + " entries, checksum " + std::to_string(sum);
}

}  // namespace

search_rows open_search_rows(const search_request& request) {
  const train_request& base = request.base;
  search_rows rows{.all = {.data = open_training(base.data, base.files)}};
  base.rows.read_for(rows.all.data);
  rows.all.part = rows.all.data.view();
  const sparse_view& all = rows.all.part;
  if (!base.validation_file.empty()) {
    rows.validation_file = open_through(base.validation_file, rows.all.numbering(), base.files, false);
    base.validation_rows.read_for(*rows.validation_file);
    rows.parts.push_back({all, rows.validation_file->view()});
  } else if (request.folds) {
    const auto fold_of = draw_folds(all.label, known_labels(request, all), *request.folds, base.options.seed);
    rows.folds = std::make_unique<const row_folds>(all, fold_of, *request.folds);
    for (std::size_t k = 0; k < *request.folds; ++k)
      rows.parts.push_back({rows.folds->training(k), rows.folds->validation(k)});
  } else {
    const auto held =
        draw_validation(all.label, known_labels(request, all), base.options.validation_fraction, base.options.seed);
    rows.split = std::make_unique<const validation_split>(split_rows(all, held));
    rows.parts.push_back({rows.split->training.view(), rows.split->validation.view()});
  }
  return rows;
}

std::string identity_of(const search_rows& rows) {
  std::string text = sizes_of_rows(rows.all.part);
  if (rows.validation_file) text += "; measured on " + sizes_of_rows(rows.validation_file->view());
  return text;
}

}  // namespace hogwild::cli
