// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/numbered_rows.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/formats/named_lines.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/rows.hpp>

#include "arrays.hpp"
#include "bindings.hpp"

namespace hogwild::python {
namespace {

using detail::numbered_rows;

/// Python's rows with the positions of a model's columns, and the arrays that may hold them.
struct rows_to_predict {
  array value;
  numbered_rows rows;
};

/// Row starts, columns as positions of the model's, and values.
nb::tuple arrays_of_rows(const rows_to_predict& of) {
  const sparse_view view = of.rows.view();
  std::vector<std::int64_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  row_cursor cursor(view);
  for (std::size_t r = 0; r < view.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    index.insert(index.end(), z.index.begin(), z.index.end());
    value.insert(value.end(), z.value.begin(), z.value.end());
    start.push_back(static_cast<std::int64_t>(index.size()));
  }
  return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(index)), to_numpy(std::move(value)));
}

/// A model that predicts, and its map of columns, which is made once.
class python_predictor {
 public:
  /// `of_text`: it also reads lines of labelled text, on whose words it was trained.
  python_predictor(const saved_model& saved, bool of_text)
      : model_(saved), known_(saved.columns), first_column_(detail::said_first_column(saved)) {
    if (!of_text) return;
    const std::optional<table_schema> schema = schema_of(saved, "the model");
    if (!schema || schema->text != named_text::labelled_text)
      throw config_error("a " + saved.model + " model of other rows than labelled text says nothing of a text");
    lines_.emplace(*schema, true);
    lines_->begin({}, "the text");
  }

  const predictor& model() const { return model_; }

  std::unique_ptr<rows_to_predict> csr(const array& row_start, const array& index, const array& value,
                                       std::size_t columns, const std::string& name) const {
    const csr_arrays from{.row_start = whole_numbers_of(row_start, "row starts"),
                          .index = whole_numbers_of(index, "indices"),
                          .value = real_numbers_of(value, "values")};
    const nb::gil_scoped_release release;
    return std::unique_ptr<rows_to_predict>(new rows_to_predict{array(), numbered_rows(from, options(columns, name))});
  }

  std::unique_ptr<rows_to_predict> dense(const array& value, std::size_t rows, std::size_t columns,
                                         const std::string& name) const {
    const real_numbers from = real_numbers_of(value, "values");
    array kept = value;
    const nb::gil_scoped_release release;
    return std::unique_ptr<rows_to_predict>(
        new rows_to_predict{std::move(kept), numbered_rows(from, rows, columns, options(columns, name))});
  }

  /// Lines of text, of which `before` came earlier. Labels are ignored. Lines of blanks are no rows.
  std::unique_ptr<rows_to_predict> text(const nb::bytes& lines, const std::string& name, std::size_t before) const {
    const std::string_view all(lines.c_str(), lines.size());
    const nb::gil_scoped_release release;
    try {
      const libsvm_rows read = lines_->parse(all, name);
      const csr_arrays from{.row_start = read.row_start, .index = read.index, .value = read.value};
      const row_options how{.name = name, .numbering = &known_, .first_column = 1};  // parsed ones count from 0
      return std::unique_ptr<rows_to_predict>(new rows_to_predict{array(), numbered_rows(from, how)});
    } catch (const format_error& fault) {
      const std::string said = fault.what();  // file:line:column: message
      throw format_error(name, before + fault.line(), fault.column(), said.substr(said.find(": ") + 2));
    }
  }

  /// The numbers of the `most` classes with the best scores of each row, the best first, and their probabilities.
  nb::tuple best(const rows_to_predict& rows, std::size_t most, std::size_t workers) const {
    std::vector<std::uint32_t> classes;
    std::vector<double> probabilities;
    std::size_t n = 0;
    {
      const nb::gil_scoped_release release;
      const sparse_view view = rows.rows.view();
      n = view.rows(), most = std::min(most, model_.labels().classes());
      classes.resize(n * most), probabilities.resize(n * most);
      const auto threads = thread_team::make(thread_team_kind::std, std::clamp<std::size_t>(n, 1, workers), false);
      threads->run([&](std::size_t worker) {
        row_cursor cursor(view);
        for (std::size_t r = worker; r < n; r += threads->size()) {
          const sparse_row<float> z = cursor.row(r);
          const std::vector<std::uint32_t> best = best_classes(model_.scores_of(z, most).scores, most);
          const std::vector<double> all = model_.probabilities(z);
          for (std::size_t k = 0; k < best.size(); ++k)
            classes[r * most + k] = best[k], probabilities[r * most + k] = all[best[k]];
        }
      });
    }
    return nb::make_tuple(to_numpy(std::move(classes), n, most), to_numpy(std::move(probabilities), n, most));
  }

  /// The score of each row: the margin, the number of the class, or the number.
  nb::object scores(const rows_to_predict& rows, std::size_t workers) const {
    std::vector<float> all;
    {
      const nb::gil_scoped_release release;
      const sparse_view view = rows.rows.view();
      model_.require_data(view, "the rows");
      all.resize(view.rows());
      const auto threads = thread_team::make(thread_team_kind::std, workers, false);
      score_rows(
          view, *threads, std::clamp<std::size_t>(view.rows(), 1, most_at_once),
          [&](std::size_t most) { return model_.scorer(most); },
          [&](std::size_t row, float score) { all[row] = score; });
    }
    return to_numpy(std::move(all));
  }

  /// Whether each of these scores says the larger of two labels: 1 or 0.
  nb::object larger(const array& scores) const {
    const double label = model_.labels().values().back();
    std::vector<std::uint8_t> all;
    for (const float score : floats_of(scores, "scores")) all.push_back(model_.label_of(score) == label ? 1 : 0);
    return to_numpy(std::move(all));
  }

  /// One line for each row with what ask(row) returns, all of the same length.
  template <class Ask>
  nb::object lines(const rows_to_predict& rows, const Ask& ask) const {
    std::vector<double> all;
    std::size_t width = 1, n = 0;
    {
      const nb::gil_scoped_release release;
      const sparse_view view = rows.rows.view();
      model_.require_data(view, "the rows");
      n = view.rows();
      row_cursor cursor(view);
      for (std::size_t r = 0; r < n; ++r) {
        const auto said = ask(cursor.row(r));
        if (r == 0) all.reserve(n * said.size());
        width = said.size();
        all.insert(all.end(), said.begin(), said.end());
      }
    }
    return to_numpy(std::move(all), n, width);
  }

 private:
  static constexpr std::size_t most_at_once = 64;

  row_options options(std::size_t columns, const std::string& name) const {
    return {.name = name, .numbering = &known_, .columns = columns, .first_column = first_column_};
  }

  predictor model_;
  column_numbering known_;
  std::uint32_t first_column_;
  std::optional<named_lines> lines_{};  ///< reads text
};

}  // namespace

void bind_scoring(nb::module_& m) {
  nb::class_<rows_to_predict>(m, "RowsToPredict").def("arrays", arrays_of_rows);
  nb::class_<python_predictor>(m, "Predictor")
      .def(nb::init<const saved_model&, bool>(), nb::arg("saved"), nb::arg("of_text") = false)
      .def("text", &python_predictor::text, nb::arg("lines"), nb::arg("name"), nb::arg("before"))
      .def("best", &python_predictor::best, nb::arg("rows"), nb::arg("most"), nb::arg("workers"))
      .def("csr", &python_predictor::csr, nb::arg("row_start"), nb::arg("index"), nb::arg("value"), nb::arg("columns"),
           nb::arg("name"))
      .def("dense", &python_predictor::dense, nb::arg("value"), nb::arg("rows"), nb::arg("columns"), nb::arg("name"))
      .def("scores", &python_predictor::scores, nb::arg("rows"), nb::arg("workers"))
      .def("larger", &python_predictor::larger, nb::arg("scores"))
      .def("probabilities",
           [](const python_predictor& asked, const rows_to_predict& rows) {
             return asked.lines(rows, [&](const sparse_row<float>& z) { return asked.model().probabilities(z); });
           })
      .def("class_scores",
           [](const python_predictor& asked, const rows_to_predict& rows) {
             return asked.lines(rows, [&](const sparse_row<float>& z) { return asked.model().scores_of(z).scores; });
           })
      .def_prop_ro("has_probabilities", [](const python_predictor& asked) { return asked.model().has_probabilities(); })
      .def_prop_ro("scores_classes", [](const python_predictor& asked) { return asked.model().scores_classes(); });
  m.def("default_workers", [] { return default_workers(); });
  m.def("begins_compressed", [](const nb::bytes& first) { return begins_compressed({first.c_str(), first.size()}); });
}

}  // namespace hogwild::python
