// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/measures.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

#include <data_files.hpp>
#include <evaluation.hpp>
#include <predict_triples.hpp>

#include "bindings.hpp"

namespace hogwild::python {
namespace {

/// A model of a knowledge graph, which answers and measures the triples of files, in which entities and relations have
/// its names.
class python_triples {
 public:
  explicit python_triples(const saved_model& saved) : name_(saved.model), model_(saved) {
    files_.choose_format(saved, "the model");
    files_.quiet = true;
  }

  /// For each triple its score, or a list of the `top` best entities in the place of a ?, each with its score.
  nb::list answers(const std::string& path, std::size_t top) const {
    std::vector<cli::triple_answer> all;
    {
      const nb::gil_scoped_release release;
      all = cli::answers_to_triples(model_, path, files_, top);
    }
    nb::list told;
    for (const cli::triple_answer& said : all) {
      if (!said.asks) {
        told.append(said.score);
        continue;
      }
      nb::list best;
      for (const auto& [name, score] : said.entities) best.append(nb::make_tuple(str_of_bytes(name), score));
      told.append(best);
    }
    return told;
  }

  /// The measures of the triples of a file, and notes on it; `known`: a file of triples that are true, or empty.
  nb::tuple evaluate(const std::string& path, const std::string& known) const {
    std::vector<std::string> notes;
    cli::evaluation found;
    {
      const nb::gil_scoped_release release;
      cli::data_options files = files_;
      files.names = std::make_shared<rating_names>(*files_.names);  // unknown names are added to them
      files.note = [&](std::string_view note) { notes.emplace_back(note); };
      found = cli::evaluate_candidates(model_, name_, path, known, files);
    }
    nb::dict told;
    for_each_measure(found.measures,
                     [&](const measure& each, double value) { told[std::string(each.name).c_str()] = value; });
    return nb::make_tuple(told, list_of_bytes(notes));
  }

 private:
  std::string name_;
  predictor model_;
  cli::data_options files_{};
};

}  // namespace

void bind_triples(nb::module_& m) {
  nb::class_<python_triples>(m, "Triples")
      .def(nb::init<const saved_model&>())
      .def("answers", &python_triples::answers, nb::arg("path"), nb::arg("top"))
      .def("evaluate", &python_triples::evaluate, nb::arg("path"), nb::arg("known"));
}

}  // namespace hogwild::python
