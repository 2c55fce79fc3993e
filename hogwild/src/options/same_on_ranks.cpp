// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/options/same_on_ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/names.hpp>
#include <hogwild/rank_failure.hpp>

namespace hogwild::detail {

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// The text of rank `root`.
std::string taken_from(std::size_t root, const std::string& mine, const agreement& ranks) {
  auto size = static_cast<double>(mine.size());
  ranks.take(std::span(&size, 1), root);
  std::vector<double> room((static_cast<std::size_t>(size) + sizeof(double) - 1) / sizeof(double));
  std::string text(static_cast<std::size_t>(size), '\0');
  if (text.empty()) return text;
  if (ranks.rank() == root) std::memcpy(room.data(), mine.data(), mine.size());
  ranks.take(room, root);
  std::memcpy(text.data(), room.data(), text.size());
  return text;
}

/// Where this rank's list differs from the first one's, and the message about it.
struct rank_difference {
  double place = std::numeric_limits<double>::infinity();
  std::string sentence{};
  exit_code code = exit_code::usage;
};

rank_difference difference_of_rank(std::span<const named_value> mine, std::span<const named_value> first,
                                   const agreement& ranks) {
  const auto found = first_difference(mine, first);
  if (!found) return {};
  return {static_cast<double>(found->place),
          "rank " + std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) + ": " + found->name + ": " +
              found->mine + " here, " + found->other + " on rank 0; give all ranks the same",
          found->code};
}

/// Throws the message and the code of the first of the ranks that differ earliest in the list.
[[noreturn]] void throw_first(const rank_difference& mine, const agreement& ranks) {
  const std::vector<double> places = ranks.gathered({mine.place, static_cast<double>(mine.code)});
  std::size_t root = 0;
  for (std::size_t r = 1; r < ranks.size(); ++r)
    if (places[2 * r] < places[2 * root]) root = r;
  throw rank_failure(static_cast<exit_code>(static_cast<int>(places[2 * root + 1])),
                     taken_from(root, mine.sentence, ranks));
}

/// Checksum of numbers, with their positions, added part by part.
class running_checksum {
 public:
  template <class T>
  void add(std::span<const T> items) {
    const std::uint64_t both[] = {sum_, checksum(items)};
    sum_ = checksum(std::span<const std::uint64_t>(both));
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

constexpr std::size_t rows_of_digest = 4096;

/// Adds the labels of rows from `first` to `last`.
void add_labels(running_checksum& sum, const label_column& labels, std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t r = first; r < last; ++r) {
    if (!labels.lists()) {
      values.push_back(labels[r]);
      continue;
    }
    for (const std::uint32_t code : labels.list(r)) values.push_back(labels.table()[code]);
    values.push_back(std::numeric_limits<double>::infinity());  // ends a list
  }
  sum.add(std::span<const double>(values));
}

void add_entries(running_checksum& sum, const sparse_view& rows, std::size_t first, std::size_t last) {
  rows.ensure(first, last);
  row_cursor cursor(rows);
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t r = first; r < last; ++r) {
    for (const auto [j, x] : cursor.row(r)) {
      columns.push_back(j);
      values.push_back(x);
    }
    columns.push_back(std::numeric_limits<std::uint32_t>::max());  // not a column: ends a row
  }
  sum.add(std::span<const std::uint32_t>(columns));
  sum.add(std::span<const float>(values));
}

std::string hexadecimal(std::uint64_t x) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[x >> shift & 15u];
  return digits;
}

std::string label_text(const label_column& labels, std::size_t r) {
  if (!labels.lists()) return to_text(labels[r]);
  std::string text;
  for (const std::uint32_t code : labels.list(r)) text += (text.empty() ? "" : ",") + to_text(labels.table()[code]);
  return text;
}

std::uint64_t checksum_of_labels(const label_column& labels, std::size_t count) {
  running_checksum sum;
  for (std::size_t r = 0; r < count; r += rows_of_digest)
    add_labels(sum, labels, r, std::min(r + rows_of_digest, count));
  return sum.value();
}

}  // namespace

void require_same_on_ranks(std::span<const named_value> mine, const agreement& ranks) {
  const std::string text = joined(mine);
  if (!ranks.other_than_first(bytes_of(text))) return;
  const std::string first = taken_from(0, text, ranks);
  throw_first(difference_of_rank(mine, taken_apart(first), ranks), ranks);
}

named_value compared_build() {
  std::string text = std::string(build_info.version) + " " + std::string(build_info.commit) + " " +
                     std::string(build_info.build_type) + ", " + std::string(build_info.compiler);
  if (!build_info.sanitizer.empty()) text += ", " + std::string(build_info.sanitizer);
  return {"the build of the library", text};
}

void add_model(std::vector<named_value>& all, std::string_view model,
               std::span<const std::pair<std::string, double>> numbers, std::span<const double> hyperparameters) {
  all.push_back({"the model", std::string(model)});
  add_numbers_of_model(all, numbers, hyperparameters);
}

void add_numbers_of_model(std::vector<named_value>& all, std::span<const std::pair<std::string, double>> numbers,
                          std::span<const double> hyperparameters) {
  for (const auto& [name, value] : numbers) all.push_back({"the model's " + name, to_text(value)});
  for (std::size_t k = 0; k < hyperparameters.size(); ++k)
    all.push_back({"number " + std::to_string(k + 1) + " of the model", to_text(hyperparameters[k])});
}

named_value compared_scale(const sparse_view& rows) {
  std::string text(name_of(rows.scaling));
  if (!rows.scale.empty()) text += ", checksum " + hexadecimal(checksum(rows.scale));
  return {"scale", text};
}

std::string text_of_rows(const sparse_view& rows) {
  running_checksum sum;
  for (std::size_t r = 0; r < rows.rows(); r += rows_of_digest) {
    const std::size_t last = std::min(r + rows_of_digest, rows.rows());
    add_labels(sum, rows.label, r, last);
    if (!rows.streams()) add_entries(sum, rows, r, last);
  }
  sum.add(rows.weight);
  sum.add(rows.offset);
  return std::to_string(rows.rows()) + " rows, " + std::to_string(rows.columns) + " columns, " +
         std::to_string(rows.nonzeros()) + " entries, checksum " + hexadecimal(sum.value());
}

void require_same_labels(const sparse_view& rows, const std::string& source, const agreement& ranks) {
  if (ranks.alone()) return;
  const auto differs_within = [&](std::size_t count) {
    const std::uint64_t sum = checksum_of_labels(rows.label, count);
    return ranks.other_than_first(std::as_bytes(std::span(&sum, 1)));
  };
  if (!differs_within(rows.rows())) return;
  std::size_t same = 0, other = rows.rows();  // the first `same` rows are equal, the first `other` are not
  while (other - same > 1) {
    const std::size_t half = same + (other - same) / 2;
    (differs_within(half) ? other : same) = half;
  }
  const named_value label{"the label of row " + std::to_string(rows.id_of(same) + 1) + " of " + source,
                          label_text(rows.label, same)};
  require_same_on_ranks(std::span(&label, 1), ranks);
}

void require_same_beginning(std::span<const std::byte> state, const agreement& ranks) {
  if (ranks.alone()) return;
  const named_value parameters{"the parameters to begin with (of a model or a checkpoint)",
                               "checksum " + hexadecimal(checksum(state))};
  require_same_on_ranks(std::span(&parameters, 1), ranks);
}

}  // namespace hogwild::detail
