// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/exports/exported_model.hpp>
#include <hogwild/model_exports.hpp>

#include "arrays.hpp"
#include "bindings.hpp"

namespace hogwild::python {
namespace {

constexpr const char* source = "the model";

/// The formula of a model as arrays, by name: those of `columns` indices.
nb::dict formula(const saved_model& saved, std::size_t columns) {
  const detail::exported_model model(saved, source);
  const scoring_form& form = model.form;
  columns = columns == 0 ? model.indices() : columns;
  if (columns < model.indices())
    throw config_error("features=" + std::to_string(columns) + ": this model has weights for " +
                       std::to_string(model.indices()) + " columns");
  const std::size_t most = std::size_t{1} << 28;
  if (columns > most / (form.outputs + form.factors))
    throw config_error("ONNX has a dense row of all columns, and a file of at most 2 GB: " + std::to_string(columns) +
                       " columns are too many");
  std::vector<float> weights(columns * form.outputs), factors(columns * form.factors);
  nb::list names;
  for (std::size_t k = 0; k < model.columns(); ++k) {
    const std::size_t j = model.index(k);
    std::copy_n(&form.weights[k * form.outputs], form.outputs, &weights[j * form.outputs]);
    if (form.factors > 0) std::copy_n(&form.factor_rows[k * form.factors], form.factors, &factors[j * form.factors]);
    if (model.has_names()) names.append(str_of_bytes(model.name(k)));
  }
  nb::dict all;
  all["decision"] = nb::str(name_of(form.decision).data());
  all["link"] = nb::str(name_of(form.link).data());
  all["weights"] = to_numpy(std::move(weights), columns, form.outputs);
  all["factors"] = form.factors > 0 ? to_numpy(std::move(factors), columns, form.factors) : nb::none();
  all["intercept"] = to_numpy(std::vector<float>(form.intercept));
  all["names"] = names;
  return all;
}

/// Of the forms but that of fastText, which a mistake is told of, too.
const export_form& form_named(const std::string& form) {
  try {
    return export_form_named(form);
  } catch (const config_error& fault) {
    throw config_error(fault.what() + std::string(", ") + std::string(fasttext_form));
  }
}

void export_to(const saved_model& saved, const std::string& path, const std::string& form) {
  if (form == fasttext_form) {
    std::vector<std::string> notes;
    export_to_fasttext(path, saved, source, [&](std::string_view note) { notes.emplace_back(note); });
    return warn_of(notes);
  }
  const export_form* const found = form.empty() ? export_form_for(path) : &form_named(form);
  if (found == nullptr) {
    std::string known;
    for (const export_form& each : export_forms()) known.append(known.empty() ? "" : ", ").append(each.extensions);
    throw config_error(path + ": its extension is of no form; there are " + known + "; or name one by form=");
  }
  export_model(path, saved, *found, source);
}

}  // namespace

void bind_exports(nb::module_& m) {
  m.def("formula", formula, nb::arg("saved"), nb::arg("columns"));
  m.def("export_to", export_to, nb::arg("saved"), nb::arg("path"), nb::arg("form"));
}

}  // namespace hogwild::python
