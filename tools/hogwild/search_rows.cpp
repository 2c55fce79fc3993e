// SPDX-License-Identifier: Apache-2.0
#include "search_rows.hpp"

#include <string>
#include <utility>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/registry.hpp>

#include "held_rows.hpp"
#include "model_from_request.hpp"

namespace hogwild::cli {
namespace {

std::string sizes_of_rows(const sparse_view& rows) {
  std::vector<double> labels;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    if (!rows.label.lists()) labels.push_back(rows.label[r]);
    if (rows.label.lists())
      for (const std::uint32_t code : rows.label.list(r)) labels.push_back(rows.label.table()[code]);
  }
  const std::vector<std::uint64_t> starts(rows.row_start.begin(), rows.row_start.end());
  std::string text = std::to_string(rows.rows()) + " rows, " + std::to_string(rows.columns) + " columns, " +
                     std::to_string(rows.nonzeros()) + " entries, checksums";
  const auto add = [&text](std::uint64_t sum) { text += " " + std::to_string(sum); };
  const std::uint64_t first = rows.row_start[0], entries = rows.row_start[rows.rows()] - first;
  rows.ensure(0, rows.rows());
  with_row_types(rows, [&]<class Index, class Value>() {
    const row_batch<Index, Value> all = batch_on<Index, Value>(rows);
    add(detail::checksum(std::span<const Value>(all.value + first, entries)));
    if (!rows.dense) add(detail::checksum(std::span<const Index>(all.index + first, entries)));
  });
  add(detail::checksum(std::span<const double>(labels)));
  add(detail::checksum(std::span<const std::uint64_t>(starts)));
  add(detail::checksum(rows.original));
  add(detail::checksum(rows.weight));
  add(detail::checksum(rows.offset));
  const column_parts parts = parts_of(rows);
  add(detail::checksum(parts.start));
  add(detail::checksum(parts.number));
  add(detail::checksum(parts.weight));
  return text;
}

}  // namespace

search_rows open_search_rows(const search_request& request) {
  const train_request& base = request.base;
  search_rows rows{.all = {.data = open_training(base.data, base.files)}};
  base.rows.read_for(rows.all.data);
  rows.all.part = rows.all.data.view();
  const sparse_view& all = rows.all.part;
  if (!base.validation_file.empty()) {
    rows.validation_file = open_through(base.validation_file, rows.all.numbering(), base.files, like_those_of(all));
    base.validation_rows.read_for(*rows.validation_file);
    rows.parts.push_back({all, rows.validation_file->view()});
  } else if (request.folds) {
    const auto fold_of = draw_folds(all, known_labels(base, all), *request.folds, base.options.seed);
    rows.folds = std::make_unique<const row_folds>(all, fold_of, *request.folds);
    for (std::size_t k = 0; k < *request.folds; ++k)
      rows.parts.push_back({rows.folds->training(k), rows.folds->validation(k)});
  } else {
    const double fraction = base.options.validation_fraction;
    const pairs_to_hold wanted{fraction, base.validation_last};
    const auto held =
        input_of(base.model) == model_input::pairs
            ? pair_holder(rows.all.data, base.data, wanted.last > 0).choose(all, wanted, base.options.seed)
            : draw_validation(all, known_labels(base, all), fraction, base.options.seed);
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
