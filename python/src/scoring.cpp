// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/task/score_rows.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "bindings.hpp"
#include "rows.hpp"

namespace hogwild::python {
namespace {

/// What a model says of each row: the margin, the number of the class, or the number.
nb::object scores(const predictor& model, const python_rows& rows, std::size_t workers) {
  std::vector<float> all;
  {
    const nb::gil_scoped_release release;
    const sparse_view view = rows.view();
    model.require_data(view, "the rows");
    all.resize(view.rows());
    const auto threads = thread_team::make(thread_team_kind::std, workers, false);
    score_rows(
        view, *threads, 64, [&](std::size_t most) { return model.scorer(most); },
        [&](std::size_t row, float score) { all[row] = score; });
  }
  const std::size_t n = all.size();
  return to_numpy(std::move(all), n);
}

/// One line a row of what ask(row) returns, all of the same length.
template <class Ask>
nb::object lines(const predictor& model, const python_rows& rows, const Ask& ask) {
  std::vector<double> all;
  std::size_t width = 1, n = 0;
  {
    const nb::gil_scoped_release release;
    const sparse_view view = rows.view();
    model.require_data(view, "the rows");
    view.ensure(0, view.rows());
    n = view.rows();
    row_cursor cursor(view);
    for (std::size_t r = 0; r < n; ++r) {
      sparse_row<float> z = cursor.row(r);
      z.label = 0.0f;  // what stands there need not be one of the model's
      const auto said = ask(z);
      if (r == 0) all.reserve(n * said.size());
      width = said.size();
      all.insert(all.end(), said.begin(), said.end());
    }
  }
  return to_numpy(std::move(all), n, width);
}

}  // namespace

void bind_scoring(nb::module_& m) {
  nb::class_<predictor>(m, "Predictor")
      .def(nb::init<const saved_model&>())
      .def("scores", scores, nb::arg("rows"), nb::arg("workers"))
      .def("probabilities",
           [](const predictor& model, const python_rows& rows) {
             return lines(model, rows, [&](const sparse_row<float>& z) { return model.probabilities(z); });
           })
      .def("class_scores",
           [](const predictor& model, const python_rows& rows) {
             return lines(model, rows, [&](const sparse_row<float>& z) { return model.scores_of(z).scores; });
           })
      .def_prop_ro("has_probabilities", &predictor::has_probabilities)
      .def_prop_ro("scores_classes", &predictor::scores_classes);
}

}  // namespace hogwild::python
