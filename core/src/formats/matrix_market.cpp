// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/matrix_market.hpp>

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/notes.hpp>

#include "data/row_format.hpp"
#include "data/row_lines.hpp"
#include "formats/label_file.hpp"
#include "formats/label_words.hpp"
#include "formats/matrix_rows.hpp"
#include "formats/matrix_text.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"

namespace hogwild {
namespace {

/// "train.labels.gz" for "train.mtx.gz"; empty for names of other forms.
std::string name_of_labels(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  constexpr std::string_view end = ".mtx";
  const std::size_t at = name.rfind(end);
  return at == name.npos ? "" : name.replace(at, end.size(), ".labels");
}

std::string labels_of(const std::string& path, const std::string& named) {
  if (!named.empty()) return named;
  const std::string name = name_of_labels(path);
  const std::string found = name.empty() || path == "-" ? "" : detail::file_beside(path, name);
  if (!found.empty()) return found;
  if (path != "-") detail::require_kind(detail::read_head(path, looked_at_bytes), "mtx", path);
  throw input_error((path == "-" ? "standard input" : path) +
                    ": a Matrix Market file has no labels; give them in a file, one a line: --labels FILE" +
                    (name.empty() ? "" : ", or " + name + " beside it"));
}

detail::matrix_labels read_labels(const std::string& path, std::size_t rows, const open_options& options) {
  detail::matrix_labels labels;
  const bool learns = detail::learns_words(options), known = !options.label_words.empty();
  detail::read_row_lines(path, rows, [&](std::string_view line) -> std::string {
    double label = 0;
    if (labels.label.empty() && (known || (learns && detail::is_word_label(line)))) {
      labels.words = std::make_unique<detail::word_labels>(options.label_words, learns);
      const std::string told = printable(path) + ": " + detail::labels_are_words;
      if (!known) options.note ? options.note(told) : note_by_default(told);
    }
    if (labels.words) {
      const std::string word(line);
      std::string fault = labels.words->read(word.data(), word.data() + word.size(), label);
      labels.label.push_back(label);
      return fault;
    }
    const char *const first = line.data(), *const last = first + line.size();
    if (detail::read_decimal(first, last, label) != detail::number_fault::none)
      return "the label " + quote(line) + " is not a finite number";
    if (std::string fault = detail::rounded_label_fault(line, label); !fault.empty()) return fault;
    detail::keep_spelling(first, last, label, labels.spelling);
    labels.label.push_back(label);
    return {};
  });
  return labels;
}

std::unique_ptr<detail::parsed_text> read(const std::string& path, const std::string& labels_path,
                                          const open_options& options) {
  const auto input = detail::open_input(path);
  detail::matrix_text text = detail::read_matrix(*input);
  detail::matrix_labels labels;
  if (!labels_path.empty()) labels = read_labels(labels_path, text.header.rows, options);
  auto parsed = detail::rows_of(std::move(text), labels, input->name());
  if (labels.words) labels.words->settle(*parsed, path);
  return parsed;
}

}  // namespace

sparse_dataset open_matrix_market(const std::string& path, const std::string& labels_path,
                                  const open_options& options) {
  if (path == "-" && labels_path == "-")
    throw config_error("a matrix and its labels cannot both come from standard input; name a file for one of them");
  const std::string labels = options.labels_optional ? "" : labels_of(path, labels_path);
  return detail::open_rows(path, options,
                           {.kind = detail::input_format::matrix_market,
                            .whole = [&](const std::string& matrix) { return read(matrix, labels, options); },
                            .companions = detail::label_file_digest(labels, 0) ^ detail::digest_of_words(options)});
}

}  // namespace hogwild
