// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "arrays.hpp"
#include "bindings.hpp"

namespace hogwild::python {
namespace {

template <class T>
nb::object copied(const std::vector<T>& numbers) {
  return to_numpy(std::vector<T>(numbers), numbers.size());
}

nb::bytes bytes_of(const saved_model& saved) {
  const std::vector<std::byte> all = model_bytes(saved, model_format::binary);
  return nb::bytes(all.data(), all.size());
}

saved_model from_bytes(const nb::bytes& bytes) {
  return parse_model({static_cast<const std::byte*>(bytes.data()), bytes.size()}, "the model");
}

/// A linear model of two labels, or of numbers, on the columns 0, 1, ..., to begin with.
saved_model linear(const std::string& model, const array& weights, const array& bias, bool numbers) {
  saved_model saved{.model = model};
  saved.labels = numbers ? label_map(label_kind::real, {}) : label_map(label_kind::binary, {0.0, 1.0});
  const std::span<const float> w = floats_of(weights, "weights"), b = floats_of(bias, "constant terms");
  saved.weights.assign(w.begin(), w.end());
  saved.bias.assign(b.begin(), b.end());
  for (std::size_t j = 0; j < w.size(); ++j) saved.columns.push_back(static_cast<std::uint32_t>(j));
  return saved;
}

}  // namespace

void bind_saved(nb::module_& m) {
  nb::class_<word_vectors>(m, "WordVectors")
      .def_static("load", [](const std::string& path) { return load_word_vectors(path); })
      .def("save", [](const word_vectors& vectors,
                      const std::string& path) { save_word_vectors(path, vectors, vector_format_for(path)); })
      .def_ro("words", &word_vectors::words)
      .def_prop_ro("values", [](const word_vectors& vectors) {
        return to_numpy(std::vector<float>(vectors.values), vectors.words.size(), vectors.dimension);
      });
  nb::class_<saved_model>(m, "Saved")
      .def_static("load", [](const std::string& path) { return load_model(path); })
      .def_static("parse", from_bytes)
      .def_static("linear", linear, nb::arg("model"), nb::arg("weights"), nb::arg("bias"), nb::arg("numbers"))
      .def("save",
           [](const saved_model& saved, const std::string& path) { save_model(path, saved, model_format_for(path)); })
      .def("bytes", bytes_of)
      .def_ro("model", &saved_model::model)
      .def_ro("options", &saved_model::model_options)
      .def_ro("width", &saved_model::width)
      .def_ro("names", &saved_model::names)
      .def_prop_ro("labels",
                   [](const saved_model& saved) {
                     const std::span<const double> values = saved.labels.values();
                     return copied(std::vector<double>(values.begin(), values.end()));
                   })
      .def_prop_ro("columns", [](const saved_model& saved) { return copied(saved.columns); })
      .def_prop_ro("weights", [](const saved_model& saved) { return copied(saved.weights); })
      .def_prop_ro("bias", [](const saved_model& saved) { return copied(saved.bias); });
}

}  // namespace hogwild::python
