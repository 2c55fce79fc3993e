// SPDX-License-Identifier: Apache-2.0
#include <hogwild/model_exports.hpp>

#include <algorithm>

#include <hogwild/detail/exports/exported_model.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "exports/export_texts.hpp"

namespace hogwild {
namespace {

constexpr export_form export_table[] = {
    {.name = "liblinear",
     .extensions = ".liblinear",
     .summary = "a model file of LIBLINEAR",
     .holds_factors = false,
     .holds_ensembles = false,
     .text = detail::liblinear_text},
    {.name = "vw",
     .extensions = ".vw",
     .summary = "Vowpal Wabbit's readable model",
     .holds_factors = false,
     .holds_ensembles = false,
     .text = detail::vowpal_wabbit_text},
    {.name = "json",
     .extensions = ".json",
     .summary = "JSON",
     .holds_factors = true,
     .holds_ensembles = true,
     .text = detail::json_model_text},
    {.name = "csv",
     .extensions = ".csv",
     .summary = "a table of names and weights",
     .holds_factors = true,
     .holds_ensembles = true,
     .text = detail::csv_text},
    {.name = "cpp",
     .extensions = ".hpp .h",
     .summary = "a C++ header that scores rows",
     .holds_factors = true,
     .holds_ensembles = false,
     .text = detail::cpp_header_text},
};

bool has_extension(const export_form& form, const std::string& extension) {
  return !extension.empty() &&
         (" " + std::string(form.extensions) + " ").find(" " + extension + " ") != std::string::npos;
}

void require_held(const detail::exported_model& model, const export_form& form) {
  const std::string holds = std::string(form.summary) + " holds no ";
  if (model.form.factors > 0 && !form.holds_factors)
    throw config_error(holds + "factors of columns, which a " + model.saved.model +
                       " has; a .json, .csv or .hpp file holds them");
  if (model.form.of_ensemble() && !form.holds_ensembles)
    throw config_error(holds +
                       "ensemble of models; a .json or .csv file holds one, and --ensemble mean-weights trains "
                       "a single model");
}

}  // namespace

std::span<const export_form> export_forms() {
  return export_table;
}

const export_form* export_form_for(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  const auto found =
      std::ranges::find_if(export_table, [&](const export_form& f) { return has_extension(f, extension); });
  return found == std::end(export_table) ? nullptr : found;
}

const export_form& export_form_named(std::string_view name) {
  std::string known;
  for (const export_form& form : export_table) {
    if (form.name == name) return form;
    known += (known.empty() ? "" : ", ") + std::string(form.name);
  }
  throw config_error("there is no form " + quote(name) + " of models; there are " + known);
}

void export_model(const std::filesystem::path& path, const saved_model& model, const export_form& form,
                  const std::string& source) {
  const detail::exported_model exported(model, source);
  require_held(exported, form);
  const std::string text = form.text(exported, path.stem().string());
  atomic_file file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace hogwild
