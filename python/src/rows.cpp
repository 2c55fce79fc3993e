// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/words/subwords.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/edges.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/trained_model.hpp>

#include <data_files.hpp>

#include "bindings.hpp"

namespace hogwild::python {
namespace {

using given_numbers = std::optional<array>;

/// Borrows row starts, columns and values of single precision. Columns keep their numbers.
python_rows borrow_csr(const array& row_start, const array& index, const array& value, const array& label,
                       std::size_t columns, const given_numbers& weight) {
  const whole_numbers first = whole_numbers_of(row_start, "row starts");
  const whole_numbers column = whole_numbers_of(index, "indices");
  const std::span<const float> values = floats_of(value, "values");
  const any_numbers given = any_numbers_of(label, "labels");
  std::vector<array> kept{row_start, index, value};
  const nb::gil_scoped_release release;
  // Labels of single precision are borrowed. Others are converted, and the originals kept beside the rows.
  std::vector<float> rounded;
  std::vector<double> exact;
  if (label.dtype() != nb::dtype<float>())
    given.visit([&](auto numbers) {
      rounded.assign(numbers.begin(), numbers.end());
      exact.assign(numbers.begin(), numbers.end());
    });
  const std::span<const float> labels = exact.empty() ? floats_of(label, "labels") : std::span<const float>(rounded);
  csr_rows rows = column.visit([&](auto columns_given) {
    if constexpr (sizeof(columns_given[0]) != sizeof(std::uint32_t)) {
      throw config_error("indices of 64 bits cannot be borrowed");
      return csr_rows(row_starts(), std::span<const std::uint32_t>(), {}, {}, 0);
    } else {
      return first.visit(
          [&](auto starts) { return csr_rows(row_starts(starts), columns_given, values, labels, columns); });
    }
  });
  if (weight) {
    kept.push_back(*weight);
    rows.set_weights(floats_of(*weight, "weights"));
  }
  return {std::move(rows), std::move(kept), std::move(exact)};
}

/// Copies arrays of any type, with columns in any order. With `numbering`, the columns of a model, rows keep their
/// order, and their columns get the positions that the model knows; otherwise both are put in the order of training
/// data.
python_rows copy_csr(const array& row_start, const array& index, const array& value, const given_numbers& label,
                     std::size_t columns, const given_numbers& weight, const given_numbers& numbering,
                     std::uint32_t first_column, std::optional<std::size_t> threads, const std::string& name) {
  csr_arrays from{.row_start = whole_numbers_of(row_start, "row starts"),
                  .index = whole_numbers_of(index, "indices"),
                  .value = real_numbers_of(value, "values")};
  std::vector<float> none;
  if (label) {
    from.label = any_numbers_of(*label, "labels");
  } else {
    none.assign(row_start.size() - 1, 0.0f);
    from.label = none;
  }
  if (weight) from.weight = floats_of(*weight, "weights");
  column_numbering known;
  row_options options{.name = name, .columns = columns, .first_column = first_column, .threads = threads};
  if (numbering) {
    known = column_numbering(std::span(static_cast<const std::uint32_t*>(numbering->data()), numbering->size()));
    options.numbering = &known;
    options.labels_optional = true;
  }
  const nb::gil_scoped_release release;
  return python_rows(rows_from(from, options));
}

/// Dense values. Borrows those of single precision without gaps unless they are to be shuffled.
python_rows dense(const array& value, const array& label, std::size_t columns, std::size_t stride,
                  std::size_t column_stride, const given_numbers& weight, bool shuffle) {
  const real_numbers values = real_numbers_of(value, "values");
  const any_numbers labels = any_numbers_of(label, "labels");
  std::vector<array> kept{value};
  const nb::gil_scoped_release release;
  dense_rows rows(values, labels, columns, {.stride = stride, .column_stride = column_stride, .shuffle = shuffle});
  if (weight) rows.set_weights(floats_of(*weight, "weights"));
  return {std::move(rows), std::move(kept)};
}

python_rows open_file(const std::string& path, const std::string& format, const std::string& model, bool no_cache,
                      const std::string& cache_folder, std::optional<std::uint64_t> memory,
                      std::vector<std::string> table) {
  cli::data_options files;
  cli::command_line line("open", "", "");
  files.declare(line);
  files.declare_values(line);
  table.push_back("--format=" + format);
  line.take(std::move(table));  // it refuses what is no format
  files.quiet = true;
  files.no_cache = no_cache;
  files.cache_folder = cache_folder;
  files.memory = memory;
  files.choose_format(model);
  std::vector<std::string> notes;
  files.note = [&](std::string_view sentence) { notes.emplace_back(sentence); };
  const auto open = [&] {
    const nb::gil_scoped_release release;
    sparse_dataset opened = cli::open_training(path, files);
    const bool is_table = !files.table.schema->columns.empty();
    return python_rows(std::move(opened), cli::first_column_of(files), is_table ? files.table.schema : nullptr,
                       files.names);
  };
  python_rows rows = open();
  warn_of(notes);
  return rows;
}

/// The words of an earlier text, with which a text is read, and how often they occurred there.
using known_words = std::vector<std::pair<nb::bytes, std::uint64_t>>;

std::optional<vocabulary> vocabulary_of(const std::optional<known_words>& words) {
  if (!words) return std::nullopt;
  std::vector<vocabulary::counted_word> all;
  for (const auto& [word, count] : *words) all.push_back({{word.c_str(), word.size()}, count});
  return vocabulary::in_order(all);
}

/// From the texts of the options of parts of words, where they are given; the model checks them.
subword_shape subwords_of(const std::map<std::string, std::string>& parts) {
  model_options options;
  for (const auto& [name, text] : parts) options.set(name, text);
  make_model("skip_gram", {}, options);
  return subwords_in(options);
}

/// A text in a file, or in memory: words between blanks, and one sentence or document a line.
python_rows open_text(const std::string& path, std::uint64_t min_count, const std::optional<known_words>& words,
                      const std::map<std::string, std::string>& parts, bool documents) {
  cli::data_options files;
  files.quiet = true;
  files.documents = documents;
  const std::optional<vocabulary> known = vocabulary_of(words);
  const subword_shape subwords = subwords_of(parts);
  const nb::gil_scoped_release release;
  return python_rows(cli::open_words(path, min_count, files, known, subwords));
}
python_rows read_text(const nb::bytes& text, std::uint64_t min_count, const std::optional<known_words>& words,
                      const std::map<std::string, std::string>& parts, bool documents) {
  const std::string_view all(text.c_str(), text.size());
  const std::optional<vocabulary> known = vocabulary_of(words);
  const subword_shape subwords = subwords_of(parts);
  const nb::gil_scoped_release release;
  return python_rows(
      read_corpus(all, documents ? "the documents" : "the sentences",
                  {.min_count = min_count, .words = known, .subwords = subwords, .documents = documents}));
}

/// Edges in a file, or in memory, as rows of nodes.
python_rows open_graph(const std::string& path, bool directed) {
  std::vector<std::string> notes;
  const edge_options how{.directed = directed, .note = [&](std::string_view note) { notes.emplace_back(note); }};
  const auto open = [&] {
    const nb::gil_scoped_release release;
    return python_rows(open_edges(path, how));
  };
  python_rows rows = open();
  warn_of(notes);
  return rows;
}
python_rows read_graph(const nb::bytes& text, bool directed) {
  const std::string_view all(text.c_str(), text.size());
  const nb::gil_scoped_release release;
  return python_rows(read_edges(all, "the edges", {.directed = directed, .note = [](std::string_view) {}}));
}

known_words words_of(const python_rows& rows) {
  known_words all;
  if (!rows.words()) return all;
  for (std::size_t w = 0; w < rows.words()->size(); ++w) {
    const std::string_view word = rows.words()->word(w);
    all.emplace_back(nb::bytes(word.data(), word.size()), rows.words()->count(w));
  }
  return all;
}

/// All rows in their order, as row starts, the caller's column numbers, and values.
nb::tuple arrays_of(const python_rows& rows) {
  std::vector<std::int64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  {
    const nb::gil_scoped_release release;
    const sparse_view view = rows.view();
    const std::vector<std::uint32_t> number = rows.columns();
    view.ensure(0, view.rows());
    start.reserve(view.rows() + 1);
    index.reserve(view.nonzeros());
    value.reserve(view.nonzeros());
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r) {
      const sparse_row<float> z = cursor.row(r);
      for (const std::uint32_t j : z.index) index.push_back(number[j]);
      value.insert(value.end(), z.value.begin(), z.value.end());
      start.push_back(static_cast<std::int64_t>(index.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(index)), to_numpy(std::move(value)));
}

std::vector<float> weights_of(const python_rows& rows) {
  const sparse_view view = rows.view();
  return {view.weight.begin(), view.weight.end()};
}

std::vector<double> labels_of(const python_rows& rows) {
  const sparse_view view = rows.view();
  return {view.label.begin(), view.label.end()};
}

}  // namespace

void python_rows::name_columns(saved_model& saved) const {
  if (schema_)
    keep_schema(*schema_, saved);
  else if (names_)
    cli::keep_names(*names_, saved);
  else if (!label_words().empty())
    saved.spell_labels(detail::spelling_of(*dataset()));
}

std::span<const std::string> python_rows::label_words() const {
  return dataset() == nullptr ? std::span<const std::string>() : dataset()->label_words();
}

std::vector<std::string> python_rows::column_names() const {
  saved_model all;
  all.columns = columns();
  if (names_) cli::keep_names(*names_, all);
  return all.names;
}

std::vector<std::uint32_t> python_rows::columns() const {
  return detail::input_numbers_of(view());
}

void bind_rows(nb::module_& m) {
  nb::class_<python_rows>(m, "Rows")
      .def_static("borrow_csr", borrow_csr, nb::arg("row_start"), nb::arg("index"), nb::arg("value"), nb::arg("label"),
                  nb::arg("columns"), nb::arg("weight").none())
      .def_static("copy_csr", copy_csr, nb::arg("row_start"), nb::arg("index"), nb::arg("value"),
                  nb::arg("label").none(), nb::arg("columns"), nb::arg("weight").none(), nb::arg("numbering").none(),
                  nb::arg("first_column") = 0, nb::arg("threads").none() = nb::none(), nb::arg("name") = "the rows")
      .def_static("dense", dense, nb::arg("value"), nb::arg("label"), nb::arg("columns"), nb::arg("stride"),
                  nb::arg("column_stride"), nb::arg("weight").none(), nb::arg("shuffle"))
      .def_static("open", open_file, nb::arg("path"), nb::arg("format"), nb::arg("model"), nb::arg("no_cache"),
                  nb::arg("cache_folder"), nb::arg("memory").none(), nb::arg("table"))
      .def_static("open_text", open_text, nb::arg("path"), nb::arg("min_count"), nb::arg("words").none() = nb::none(),
                  nb::arg("parts") = std::map<std::string, std::string>(), nb::arg("documents") = false)
      .def_static("read_text", read_text, nb::arg("text"), nb::arg("min_count"), nb::arg("words").none() = nb::none(),
                  nb::arg("parts") = std::map<std::string, std::string>(), nb::arg("documents") = false)
      .def_static("open_edges", open_graph, nb::arg("path"), nb::arg("directed"))
      .def_static("read_edges", read_graph, nb::arg("text"), nb::arg("directed"))
      .def("words", words_of)
      .def_prop_ro("rows", [](const python_rows& rows) { return rows.view().rows(); })
      .def_prop_ro("columns", [](const python_rows& rows) { return rows.view().columns; })
      .def("arrays", arrays_of)
      .def("weights", [](const python_rows& rows) { return to_numpy(weights_of(rows)); })
      .def_prop_ro("column_names", [](const python_rows& rows) { return list_of_bytes(rows.column_names()); })
      .def_prop_ro("first_column", &python_rows::first_column)
      .def_prop_ro("nonzeros", [](const python_rows& rows) { return rows.view().nonzeros(); })
      .def_prop_ro("from_cache",
                   [](const python_rows& rows) { return rows.dataset() != nullptr && rows.dataset()->from_cache(); })
      .def("numbers", [](const python_rows& rows) { return to_numpy(rows.columns()); })
      .def("labels", [](const python_rows& rows) { return to_numpy(labels_of(rows)); });
}

}  // namespace hogwild::python
