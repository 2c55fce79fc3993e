// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/models/quantised_text.hpp>
#include <hogwild/detail/models/text_vectors.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/words/documents.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "arrays.hpp"
#include "bindings.hpp"
#include "rows.hpp"

namespace hogwild::python {

nb::object str_of_bytes(const std::string& word) {
  PyObject* const text = PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "surrogateescape");
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

nb::list list_of_bytes(const std::vector<std::string>& words) {
  nb::list all;
  for (const std::string& word : words) all.append(str_of_bytes(word));
  return all;
}

namespace {

nb::bytes bytes_of(const saved_model& saved) {
  const std::vector<std::byte> all = model_bytes(saved, model_format::binary);
  return nb::bytes(all.data(), all.size());
}

saved_model from_bytes(const nb::bytes& bytes) {
  return parse_model({static_cast<const std::byte*>(bytes.data()), bytes.size()}, "the model");
}

/// A linear model on the columns 0, 1, ..., to begin with: for numbers (0 classes), for two labels, or one for each of
/// more classes. The weights of a column are adjacent.
saved_model linear(const std::string& model, const array& weights, const array& bias, std::size_t classes) {
  saved_model saved{.model = model};
  std::vector<double> labels(classes);
  std::iota(labels.begin(), labels.end(), 0.0);
  const label_kind kind = classes == 0 ? label_kind::real : classes == 2 ? label_kind::binary : label_kind::classes;
  saved.labels = label_map(kind, std::move(labels));
  saved.width = classes > 2 ? classes : 1;
  const std::span<const float> w = floats_of(weights, "weights"), b = floats_of(bias, "constant terms");
  saved.weights.assign(w.begin(), w.end());
  saved.bias.assign(b.begin(), b.end());
  for (std::size_t j = 0; j < w.size() / saved.width; ++j) saved.columns.push_back(static_cast<std::uint32_t>(j));
  return saved;
}

}  // namespace

void bind_saved(nb::module_& m) {
  nb::class_<word_vectors>(m, "WordVectors")
      .def_static("load", [](const std::string& path) { return load_word_vectors(path); })
      .def_static("of",
                  [](const std::vector<nb::bytes>& words, const array& values) {
                    const std::span<const float> numbers = floats_of(values, "vectors");
                    word_vectors made{.dimension = words.empty() ? 0 : numbers.size() / words.size()};
                    for (const nb::bytes& word : words) made.words.emplace_back(word.c_str(), word.size());
                    made.values.assign(numbers.begin(), numbers.end());
                    return made;
                  })
      .def_static("of_text", [](const saved_model& saved) { return vectors_in(saved, "the model"); })
      .def("save", [](const word_vectors& vectors,
                      const std::string& path) { save_word_vectors(path, vectors, vector_format_for(path)); })
      .def_prop_ro("words", [](const word_vectors& vectors) { return list_of_bytes(vectors.words); })
      .def_prop_ro("values", [](const word_vectors& vectors) {
        return to_numpy(std::vector<float>(vectors.values), vectors.words.size(), vectors.dimension);
      });
  nb::class_<subword_vectors>(m, "SubwordVectors")
      .def("of", [](const subword_vectors& parts, const nb::bytes& word) -> nb::object {
        const auto vector = parts.of({word.c_str(), word.size()});
        if (!vector) return nb::none();
        return to_numpy(std::vector<float>(*vector), 1, vector->size());
      });
  nb::class_<document_vectors>(m, "DocumentInference")
      .def(nb::init<const saved_model&>())
      .def("of", [](const document_vectors& model, const nb::bytes& document, std::size_t epochs, double step,
                    std::uint64_t seed) {
        const std::string_view text(document.c_str(), document.size());
        std::vector<float> vector = [&] {
          const nb::gil_scoped_release release;
          const corpus read = read_corpus(text, "the document", {.words = model.words(), .documents = true});
          return model.of(read.rows.view(), {epochs, step, seed});
        }();
        return to_numpy(std::move(vector));
      });
  nb::class_<saved_model>(m, "Saved")
      .def("subwords", [](const saved_model& saved) { return subword_vectors_of(saved); })
      .def_static("load",
                  [](const std::string& path) {
                    std::vector<std::string> notes;
                    saved_model read = load_model(path, [&](std::string_view note) { notes.emplace_back(note); });
                    warn_of(notes);
                    return read;
                  })
      .def_static("parse", from_bytes)
      .def_static("linear", linear, nb::arg("model"), nb::arg("weights"), nb::arg("bias"), nb::arg("classes"))
      .def("save",
           [](const saved_model& saved, const std::string& path) { save_model(path, saved, model_format_for(path)); })
      .def("bytes", bytes_of)
      .def("quantised",
           [](const saved_model& saved, std::size_t cutoff, std::size_t part, bool lengths, bool labels) {
             const nb::gil_scoped_release release;
             return quantised_text(
                 saved, {.rows = {.part = part, .lengths = lengths}, .labels = labels, .cutoff = cutoff}, "the model");
           })
      .def_prop_ro("is_quantised", &saved_model::is_quantised)
      .def_ro("model", &saved_model::model)
      .def_ro("options", &saved_model::model_options)
      .def_ro("width", &saved_model::width)
      .def_prop_ro("names", [](const saved_model& saved) { return list_of_bytes(saved.names); })
      .def_ro("schema", &saved_model::schema)
      .def_prop_ro("label_names",
                   [](const saved_model& saved) {
                     std::vector<std::string> names;
                     for (const double label : saved.labels.values())
                       if (saved.names_classes()) names.push_back(saved.text_of_label(label));
                     return list_of_bytes(names);
                   })
      .def_prop_ro("first_column", [](const saved_model& saved) { return detail::said_first_column(saved); })
      .def_prop_ro("labels",
                   [](const saved_model& saved) {
                     const std::span<const double> values = saved.labels.values();
                     return to_numpy(std::vector<double>(values.begin(), values.end()));
                   })
      .def_prop_ro("columns", [](const saved_model& saved) { return to_numpy(saved.columns); })
      .def_prop_ro("weights", [](const saved_model& saved) { return to_numpy(saved.weights); })
      .def_prop_ro("bias", [](const saved_model& saved) { return to_numpy(saved.bias); });
}

}  // namespace hogwild::python
