// SPDX-License-Identifier: Apache-2.0
#include <hogwild/dataset.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/dataset_digest.hpp>
#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/data/row_numbers.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "data/dataset_mapping.hpp"
#include "data/dataset_writer.hpp"
#include "data/ingest.hpp"
#include "data/narrowing.hpp"
#include "data/row_shuffle.hpp"
#include "data/writable_arrays.hpp"
#include "platform/trusted_file.hpp"

namespace hogwild {

sparse_view sparse_dataset::view() const {
  const detail::cache_arrays& arrays = mapping_->arrays();
  return {.row_start = arrays.row_start,
          .index = arrays.index,
          .index16 = arrays.index16,
          .value = arrays.value,
          .value16 = arrays.value16,
          .label = mapping_->label().with_words(label_words()),
          .weight = weights_ ? std::span<const float>(*weights_) : std::span<const float>{},
          .offset = offsets_ ? std::span<const float>(*offsets_) : std::span<const float>{},
          .group = groups_ ? std::span<const std::uint32_t>(*groups_) : std::span<const std::uint32_t>{},
          .id = numbers_ ? std::span<const std::uint32_t>(*numbers_) : std::span<const std::uint32_t>{},
          .columns = arrays.header.columns,
          .degree = mapping_->degree(),
          .original = mapping_->original(),
          .first_singleton = arrays.header.first_singleton,
          .image = arrays.header.image(),
          .source = mapping_.get()};
}

std::size_t sparse_dataset::rows() const {
  return mapping_->arrays().header.rows;
}
std::size_t sparse_dataset::features() const {
  return mapping_->arrays().header.columns;
}
std::size_t sparse_dataset::nonzeros() const {
  return mapping_->arrays().header.nonzeros;
}
std::uint32_t sparse_dataset::original(std::size_t position) const {
  return mapping_->original()[position];
}
const column_numbering& sparse_dataset::numbering() const {
  return mapping_->numbering();
}
std::span<const std::string> sparse_dataset::label_words() const {
  return label_words_ ? std::span<const std::string>(*label_words_) : mapping_->spelling().words();
}
std::size_t sparse_dataset::unknown_entries() const {
  return mapping_->arrays().header.unknown_entries;
}
std::string sparse_dataset::shared_path() const {
  return mapping_->path();
}
bool sparse_dataset::from_cache() const {
  return mapping_->from_cache();
}
const label_spelling& detail::spelling_of(const sparse_dataset& data) {
  return dataset_access::mapping_of(data).spelling();
}
bool sparse_dataset::values_rounded() const {
  return mapping_->arrays().header.values_rounded != 0;
}
void sparse_dataset::verify() const {
  mapping_->verify();
}

std::uint64_t detail::digest_of_rows(const sparse_dataset& data) {
  const cache_arrays& arrays = dataset_access::mapping_of(data).arrays();
  std::vector<std::uint64_t> parts{arrays.header.rows, arrays.header.columns, arrays.header.nonzeros,
                                   arrays.header.rows_per_block};
  parts.insert(parts.end(), arrays.block_checksum.begin(), arrays.block_checksum.end());
  parts.push_back(checksum(arrays.row_length));
  parts.push_back(checksum(arrays.label_code));
  parts.push_back(checksum(arrays.label_list));
  parts.push_back(checksum(arrays.label_table));
  return checksum(std::span<const std::uint64_t>(parts));
}

namespace {

template <class Number>
std::vector<Number> in_row_order(std::span<const Number> numbers, bool shuffled) {
  if (!shuffled) return {numbers.begin(), numbers.end()};
  std::vector<Number> ordered(numbers.size());
  std::ranges::transform(detail::shuffled_rows(numbers.size()), ordered.begin(),
                         [&](std::uint32_t r) { return numbers[r]; });
  return ordered;
}

}  // namespace

std::vector<double> dataset_access::times_of(const sparse_dataset& data) {
  if (mapping_of(data).arrays().header.stated == 0) return {};
  const std::vector<double>& stated = mapping_of(data).stated().time;
  return in_row_order(std::span<const double>(stated), data.shuffled_ && !stated.empty());
}

void sparse_dataset::set_weights(std::span<const float> weights) {
  detail::require_weights(weights, rows(), "the data");
  weights_ = std::make_shared<const std::vector<float>>(in_row_order(weights, shuffled_));
}

void sparse_dataset::set_offsets(std::span<const float> offsets) {
  detail::require_offsets(offsets, rows(), "the data");
  offsets_ = std::make_shared<const std::vector<float>>(in_row_order(offsets, shuffled_));
}

void sparse_dataset::set_groups(std::span<const std::uint32_t> groups, std::vector<std::string> names) {
  if (groups.size() != rows() ||
      std::ranges::any_of(groups, [&](std::uint32_t group) { return group >= names.size(); }))
    throw input_error("the groups of rows do not fit: " + std::to_string(rows()) + " rows, " +
                      std::to_string(groups.size()) + " groups of them, " + std::to_string(names.size()) + " names");
  groups_ = std::make_shared<const std::vector<std::uint32_t>>(in_row_order(groups, shuffled_));
  group_names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
}

std::span<const std::string> sparse_dataset::group_names() const {
  return group_names_ ? std::span<const std::string>(*group_names_) : std::span<const std::string>{};
}

void sparse_dataset::number_rows() {
  if (shuffled_) numbers_ = std::make_shared<const std::vector<std::uint32_t>>(detail::shuffled_rows(rows()));
}

sparse_dataset sparse_dataset::map(const std::string& shared_path) {
  detail::opened_file file = detail::open_looking(shared_path);
  if (!file.fd && file.error != EINVAL)
    throw cache_error(shared_path, shared_path + ": cannot be opened: " + std::generic_category().message(file.error));
  if (!file.fd || file.state.st_size == 0) throw cache_error(shared_path, shared_path + ": is no dataset cache");
  // A file that can change while it is mapped can crash this process, or worse.
  if (!file.fault.empty()) throw input_error(shared_path + ": this file " + file.fault + "; make a copy of your own");
  try {
    return dataset_access::open(std::move(file.fd), shared_path, true);
  } catch (const cache_error& fault) {
    throw cache_error(shared_path, shared_path + ": the cache " + fault.what() +
                                       "; delete it and open the source again, which writes a new one");
  }
}

namespace {

void check_rows(const sparse_view& rows) {
  if (rows.rows() == 0) throw input_error("the data in memory have no rows");
  if (rows.columns >= column_numbering::unknown)
    throw input_error("the data in memory have more than 4294967294 columns");
  const std::size_t values = rows.value.size() + rows.value16.size();
  const bool indexed =
      rows.dense ? rows.index.size() == rows.columns : rows.row_start.back() <= rows.index.size() + rows.index16.size();
  const bool sized = indexed && rows.row_start.size() == rows.rows() + 1 &&
                     std::is_sorted(rows.row_start.begin(), rows.row_start.end()) && rows.row_start.back() <= values;
  if (!sized)
    throw input_error(
        "the data in memory do not hold together: row_start must ascend, with one entry more "
        "than there are labels, and end within index and value");
  if (!rows.original.empty() && rows.original.size() != rows.columns)
    throw input_error("the data in memory have " + std::to_string(rows.columns) + " columns, but numbers for " +
                      std::to_string(rows.original.size()));
  const image_shape& image = rows.image;
  if ((image != image_shape{} && image.size() == 0) || image.planes > 0xff || image.height > 0xffff ||
      image.width > 0xffff)
    throw input_error("the data in memory are no images of " + name_of(image) +
                      ": an image has 1 to 255 planes and sides of 1 to 65535");
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const std::uint32_t j : cursor.row(r).index)
      if (j >= rows.columns)
        throw input_error("the data in memory have the column " + std::to_string(j) + ", but only " +
                          std::to_string(rows.columns) + " columns (counted from 0)");
}

/// None if rows have lists.
detail::label_codes codes_of(const label_column& labels) {
  detail::label_codes codes;
  if (labels.lists()) return codes;
  for (const double label : labels) codes.add(label);
  codes.number();
  return codes;
}

std::uint64_t nonzeros_of(const sparse_view& rows, std::span<const std::size_t> chosen) {
  std::uint64_t sum = 0;
  for (const std::size_t r : chosen) sum += rows.row_start[r + 1] - rows.row_start[r];
  return sum;
}

std::vector<std::uint32_t> degrees_of(const sparse_view& rows, std::span<const std::size_t> chosen) {
  std::vector<std::uint32_t> degree(rows.columns);
  row_cursor cursor(rows);
  for (const std::size_t r : chosen)
    for (const std::uint32_t j : cursor.row(r).index) ++degree[j];
  return degree;
}

void copy_labels(const label_column& labels, std::span<const std::size_t> chosen, const detail::label_codes& codes,
                 detail::dataset_writer& file) {
  const detail::writable_arrays to(file.arrays());
  for (std::size_t i = 0; i < to.label.size(); ++i) to.label[i] = labels[chosen[i]];
  for (std::size_t i = 0; i < to.label_code.size(); ++i) to.label_code[i] = codes.code(labels[chosen[i]]);
  if (!labels.lists()) return;
  std::vector<std::uint32_t> start{0}, code;
  for (const std::size_t r : chosen) {
    code.insert(code.end(), labels.list(r).begin(), labels.list(r).end());
    start.push_back(static_cast<std::uint32_t>(code.size()));
  }
  file.set_lists(std::move(start), std::move(code));
}

bool are_halves(const sparse_view& rows) {
  if (rows.has_narrow_value()) return true;
  return rows.nonzeros() == 0 || detail::are_halves(rows.value.subspan(rows.row_start.front(), rows.nonzeros()));
}

void copy_row(const sparse_row<float>& row, std::uint64_t place, const detail::writable_arrays& to) {
  if (to.index16.empty())
    std::ranges::copy(row.index, to.index.data() + place);
  else
    std::ranges::transform(row.index, to.index16.data() + place, [](auto j) { return static_cast<std::uint16_t>(j); });
  if (to.value16.empty())
    std::ranges::copy(row.value, to.value.data() + place);
  else
    std::ranges::transform(row.value, to.value16.data() + place, to_half);
}

}  // namespace

namespace {

std::vector<std::size_t> all_of(const sparse_view& rows) {
  std::vector<std::size_t> all(rows.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

sparse_dataset sparse_dataset::copy_of(const sparse_view& rows) {
  return copy_of(rows, all_of(rows));
}

sparse_dataset sparse_dataset::copy_of(const sparse_view& rows, std::span<const std::size_t> chosen) {
  return dataset_access::copy_of(rows, chosen, parts_of(rows), {});
}

sparse_dataset dataset_access::with_parts(const sparse_view& rows, const column_parts& parts,
                                          std::vector<double> times) {
  return copy_of(rows, all_of(rows), parts, std::move(times));
}

sparse_dataset dataset_access::copy_of(const sparse_view& rows, std::span<const std::size_t> chosen,
                                       const column_parts& parts, std::vector<double> times) {
  check_rows(rows);
  rows.ensure(0, rows.rows());
  const detail::label_codes codes = codes_of(rows.label);
  std::vector<std::uint32_t> original(rows.columns);
  if (rows.original.empty())
    std::iota(original.begin(), original.end(), std::uint32_t{0});
  else
    std::ranges::copy(rows.original, original.begin());
  detail::cache_header sizes;
  sizes.rows = chosen.size();
  sizes.columns = rows.columns;
  sizes.nonzeros = nonzeros_of(rows, chosen);
  const bool ascend = std::ranges::adjacent_find(chosen, std::greater_equal<>()) == chosen.end();
  // Singleton columns are numbered in the order of the rows.
  sizes.first_singleton = ascend ? std::min(rows.first_singleton, rows.columns) : rows.columns;
  sizes.rows_per_block = detail::rows_per_block(sizes.rows, sizes.nonzeros);
  const bool lists = rows.label.lists();
  if (lists) sizes.version = detail::list_cache_version;
  const std::span<const double> table = lists ? rows.label.table() : codes.table();
  sizes.label_values = static_cast<std::uint32_t>(table.size());
  std::vector<std::uint64_t> text;
  if (!times.empty()) {
    sizes.stated = 1;
    text = detail::stated_numbers{.time = std::move(times)}.encode();
  }
  if (!parts.start.empty()) {
    sizes.kind = detail::input_format::corpus;
    const std::vector<std::uint64_t> words = detail::encode_parts(parts);
    text.insert(text.end(), words.begin(), words.end());
  }
  if (text.size() > std::numeric_limits<std::uint32_t>::max())
    throw input_error("the columns have too many parts: more than 2^32");
  sizes.label_text_words = static_cast<std::uint32_t>(text.size());
  sizes.value_bytes = are_halves(rows) ? 2 : 4;
  sizes.set_image(rows.image);
  const std::vector<std::uint32_t> degree = degrees_of(rows, chosen);
  detail::narrow_indices(sizes);
  detail::dataset_writer file = detail::dataset_writer::in_memory(sizes);
  const detail::writable_arrays to(file.arrays());
  to.columns(original, degree);
  std::ranges::copy(table, to.label_table.begin());
  std::ranges::copy(text, to.label_text.begin());
  copy_labels(rows.label, chosen, codes, file);
  row_cursor cursor(rows);
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const sparse_row<float> row = cursor.row(chosen[i]);
    to.start_row(i, place);
    copy_row(row, place, to);
    place += row.size();
  }
  to.start_row(chosen.size(), place);
  const row_starts& starts = file.arrays().row_start;
  for (std::uint64_t block = 0; block < sizes.blocks(); ++block)
    file.seal_block(block, starts[std::min((block + 1) * sizes.rows_per_block, sizes.rows)]);
  sparse_dataset copy = std::move(file).finish();
  dataset_access::set_label_words(copy, rows.label.words());
  const auto of_chosen = [&]<class T>(const auto& of) {
    std::vector<T> numbers(chosen.size());
    std::ranges::transform(chosen, numbers.begin(), [&](std::size_t r) { return static_cast<T>(of(r)); });
    return std::make_shared<const std::vector<T>>(std::move(numbers));
  };
  if (!rows.weight.empty()) copy.weights_ = of_chosen.operator()<float>([&](std::size_t r) { return rows.weight[r]; });
  if (!rows.offset.empty()) copy.offsets_ = of_chosen.operator()<float>([&](std::size_t r) { return rows.offset[r]; });
  if (!rows.group.empty())
    copy.groups_ = of_chosen.operator()<std::uint32_t>([&](std::size_t r) { return rows.group[r]; });
  if (!rows.id.empty() || rows.first_row > 0 || chosen.size() < rows.rows() || !ascend)
    copy.numbers_ = of_chosen.operator()<std::uint32_t>([&](std::size_t r) { return rows.id_of(r); });
  return copy;
}

}  // namespace hogwild
