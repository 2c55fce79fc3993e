// SPDX-License-Identifier: Apache-2.0
#include "convert_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/row_text.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild::cli {
namespace {

constexpr const char* no_fields = " have no fields; write LIBSVM text, to a name that ends in .svm";

enum class row_format { libsvm, libffm, csv, tsv };

constexpr std::size_t most_labels_said = 10;
/// Bytes of text that are written at once.
constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

std::optional<row_format> format_named_by(const std::string& out) {
  const std::string end = std::filesystem::path(out).extension().string();
  if (end == ".svm" || end == ".libsvm") return row_format::libsvm;
  if (end == ".ffm") return row_format::libffm;
  if (end == ".csv") return row_format::csv;
  if (end == ".tsv") return row_format::tsv;
  return std::nullopt;
}

/// Calls append(k, text) for 0 <= k < lines, which appends a line, behind a first text.
void write_lines(const std::string& path, std::string text, std::size_t lines, const auto& append) {
  atomic_file file(path);
  for (std::size_t k = 0; k < lines; ++k) {
    append(k, text);
    if (text.size() < bytes_at_once) continue;
    file.write(std::as_bytes(std::span(text)));
    text.clear();
  }
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

/// The rows that are written, and what is known of them.
class conversion {
 public:
  conversion(const row_conversion& how, const std::string& in, sparse_dataset data)
      : how_(how), in_(in), data_(std::move(data)), schema_(*how.files.table.schema) {
    data_.number_rows();
    rows_ = data_.view();
    rows_.ensure(0, rows_.rows());
    order_.resize(rows_.rows());
    for (std::size_t r = 0; r < order_.size(); ++r) order_[rows_.id_of(r)] = static_cast<std::uint32_t>(r);
  }

  void write(row_format format, const std::string& out) const {
    for (const auto& [option, path, numbers] : numbers_beside(format)) {
      if (path.empty() && !numbers.empty())
        throw config_error(in_ + ": the rows have " + option.substr(std::string_view("--write-").size()) + ", which " +
                           out + " does not hold; give " + option + " FILE");
      if (!path.empty() && numbers.empty())
        throw config_error(option + ": the rows of " + in_ + " have none; leave it out");
    }
    const auto group = std::ranges::find(schema_.columns, schema_.group, &table_column::name);
    const bool in_table = (format == row_format::csv || format == row_format::tsv) && group != schema_.columns.end() &&
                          group->kind != table_kind::ignored;
    if (!rows_.group.empty() && format != row_format::libsvm && !in_table)
      throw config_error(in_ + ": the rows have groups, which " + out +
                         " does not hold; write LIBSVM text, or leave out the groups");
    if (!how_.names.empty() && !has_names())
      throw config_error("--write-names: the columns of " + in_ + " have numbers and no names; leave it out");

    switch (format) {
      case row_format::libsvm: {
        const std::vector<std::uint32_t> numbers = libsvm_numbers();
        libsvm_text lines(data_, numbers);
        write_rows(out, {}, lines);
        write_names([&](std::size_t position) { return std::to_string(numbers[position]); });
        break;
      }
      case row_format::libffm: {
        require_fields();
        libffm_text lines(data_);
        write_rows(out, {}, lines);
        write_names([&](std::size_t position) {
          const std::uint32_t column = data_.original(position);
          return std::to_string(field_of(column)) + ":" + std::to_string((column - 1) & largest_field_index);
        });
        break;
      }
      case row_format::csv:
      case row_format::tsv: {
        if (schema_.columns.empty() || schema_.text != named_text::table)
          throw config_error(out + ": the rows of " + in_ +
                             " are no table; write LIBSVM text, to a name that ends in .svm");
        if (!how_.names.empty()) throw config_error("--write-names: " + out + " has the names itself; leave it out");
        table_text lines(data_, schema_, format == row_format::csv ? ',' : '\t');
        write_rows(out, lines.header(), lines);
        break;
      }
    }
    for (const auto& [option, path, numbers] : numbers_beside(format))
      if (!path.empty())
        write_lines(path, {}, order_.size(), [&, &numbers = numbers](std::size_t k, std::string& text) {
          text += detail::to_text(numbers[order_[k]]) + '\n';
        });
  }

 private:
  struct numbers_of_rows {
    std::string option, path;
    std::span<const float> numbers;
  };
  /// Numbers that a row has besides its label and entries, where the format does not hold it.
  std::array<numbers_of_rows, 2> numbers_beside(row_format format) const {
    // A table states the weights itself.
    const bool in_table =
        (format == row_format::csv || format == row_format::tsv) &&
        std::ranges::find(schema_.columns, table_kind::weight, &table_column::kind) != schema_.columns.end();
    return {numbers_of_rows{"--write-weights", how_.weights, in_table ? std::span<const float>{} : rows_.weight},
            numbers_of_rows{"--write-offsets", how_.offsets, rows_.offset}};
  }

  bool has_names() const { return !schema_.columns.empty() || how_.files.format == "ratings"; }

  std::string name_of(std::uint32_t column) const {
    if (!schema_.columns.empty()) return schema_.name_of_input(column);
    const bool is_user = is_user_column(column);
    const std::uint32_t id = rating_id(column);
    const rating_names* const names = how_.files.names.get();
    return (is_user ? "user=" : "item=") +
           (names != nullptr ? printable((is_user ? names->users : names->items)[id]) : std::to_string(id));
  }

  /// Those of the input, or else counted from 1.
  std::vector<std::uint32_t> libsvm_numbers() const {
    const std::string& format = how_.files.format;
    const bool by_hash = schema_.hash_bits > 0;
    if (!by_hash && (has_names() || format == "ffm")) return columns_from_1(data_);
    const std::span<const std::uint32_t> original = data_.numbering().original();
    return {original.begin(), original.end()};
  }

  void require_fields() const {
    const bool as_fields = schema_.text == named_text::table && schema_.value_bits == field_index_bits;
    if (schema_.columns.empty() ? how_.files.format == "ffm" : as_fields) return;
    throw config_error(in_ + ": these rows" + no_fields);
  }

  template <class Lines>
  void write_rows(const std::string& out, std::string head, Lines& lines) const {
    write_lines(out, std::move(head), order_.size(),
                [&](std::size_t k, std::string& text) { lines.append(order_[k], text); });
  }

  void write_names(const auto& number_of) const {
    if (how_.names.empty()) return;
    std::string labels;
    for (std::size_t k = 0; k < schema_.labels.size(); ++k)
      labels += "label " + std::to_string(k) + " " + printable(schema_.labels[k]) + "\n";
    const std::vector<std::uint32_t> numbers = columns_from_1(data_);
    std::vector<std::size_t> by_number(numbers.size());
    for (std::size_t position = 0; position < numbers.size(); ++position) by_number[numbers[position] - 1] = position;
    write_lines(how_.names, std::move(labels), by_number.size(), [&](std::size_t k, std::string& text) {
      text += "column " + number_of(by_number[k]) + " " + name_of(data_.original(by_number[k])) + "\n";
    });
  }

  const row_conversion& how_;
  const std::string& in_;
  sparse_dataset data_;
  const table_schema& schema_;
  sparse_view rows_{};
  std::vector<std::uint32_t> order_{};  ///< the rows of the data, in the order of the file
};

sparse_dataset open_by_model(const std::string& in, const std::string& model, data_options& files) {
  const saved_model saved = load_model(model, say);
  const model_input input = input_of(saved.model);
  if (input != model_input::rows && input != model_input::fields && input != model_input::ratings)
    throw config_error("--columns-of: a " + saved.model + " model reads no rows; name another one");
  files.choose_format(saved, model);
  return open_through(in, column_numbering(saved.columns), files, row_labels::required);
}

sparse_dataset open_to_train(const std::string& in, data_options& files, row_format format) {
  std::error_code unknown;
  const bool names_label =
      std::ranges::any_of(files.table.given, [](const table_word* word) { return word->word == "--label"; });
  if (files.format == "auto" && !names_label && std::filesystem::is_regular_file(in, unknown))
    if (const file_look look = look_at_file(in); !look.format.empty()) files.format = look.format;
  const std::string& is = files.format;
  if (is == "corpus" || is == "graph" || is == "dimacs" || is == "triples" || is.starts_with("edges") ||
      is.starts_with("pairs"))
    throw config_error(in + ": --format " + is + " has no rows with labels to write");
  if (format == row_format::libffm && is != "auto" && is != "ffm" && is != "csv" && is != "tsv")
    throw config_error(in + ": rows of --format " + is + no_fields);
  files.choose_format(files.format == "ratings"      ? "matrix_factorization"
                      : format == row_format::libffm ? "ffm"
                                                     : "logistic");
  return open_training(in, files);
}

}  // namespace

void row_conversion::declare(command_line& line) {
  line.group("Rows");
  line.option("--columns-of", columns_of,
              "a saved model: DATA are read as 'predict' reads them for it, and its columns have the same numbers for "
              "each file");
  line.option("--write-names", names, "write the names of columns, and of labels in words, with their numbers");
  line.option("--write-weights", weights, "write the weights of the rows, as 'train --weights' reads them");
  line.option("--write-offsets", offsets, "write the offsets of the rows, as 'train --offsets' reads them");
  line.option("--labels", files.labels,
              "labels of IDX images, or of a Matrix Market file (default: the file beside IN)");
  line.flag("--quiet", files.quiet, "say nothing about how IN is read");
  files.declare(line);
  files.declare_values(line);
}

bool row_conversion::applies_to(const std::string& in, const std::string& out) const {
  std::error_code unknown;
  if (in == "-") return true;
  if (!std::filesystem::is_regular_file(in, unknown)) return false;
  switch (look_at_file(in).kind) {
    case file_kind::binary_model:
    case file_kind::text_model:
    case file_kind::checkpoint:
      return false;
    case file_kind::unknown:
      return files.format != "auto" || files.table.asked() || format_named_by(out).has_value();
    default:
      return true;
  }
}

void row_conversion::refuse_options(const command_line& line) {
  row_conversion none;
  command_line of_rows("convert", "", "");
  none.declare(of_rows);
  for (const command_line::given_text& given : line.given_texts())
    if (of_rows.has(given.name))
      throw config_error(given.name + " is for rows, and a model is converted: leave it out");
}

void row_conversion::write(const std::string& in, const std::string& out) {
  const std::optional<row_format> format = format_named_by(out);
  if (!format)
    throw config_error(in +
                       " is not a saved model; rows are written to a name that ends in .svm, .libsvm, .ffm, .csv "
                       "or .tsv, and " +
                       out + " does not");
  std::vector<std::string> written;
  for (const auto& [option, path] : {std::pair<std::string, std::string>{"OUT", out},
                                     {"--write-names", names},
                                     {"--write-weights", weights},
                                     {"--write-offsets", offsets}}) {
    if (path.empty()) continue;
    refuse_overwrite(option, path, {in, columns_of, files.labels});
    if (std::ranges::find(written, path) != written.end())
      throw config_error(path + " would be written twice; give two names");
    atomic_file::look(path);
    written.push_back(path);
  }
  retry_damaged_cache([&] {
    const conversion rows(
        *this, in, columns_of.empty() ? open_to_train(in, files, *format) : open_by_model(in, columns_of, files));
    rows.write(*format, out);
  });
  const std::vector<std::string>& words = files.table.schema->labels;
  if (words.empty() || files.quiet || !names.empty() || *format == row_format::csv || *format == row_format::tsv)
    return;
  std::string all;
  for (std::size_t k = 0; k < words.size() && k < most_labels_said; ++k)
    all += (k == 0 ? "" : ", ") + quote(words[k]) + " is " + std::to_string(k);
  say("labels have numbers in " + out + ": " + all +
      (words.size() > most_labels_said ? " ...; --write-names lists them" : ""));
}

}  // namespace hogwild::cli
