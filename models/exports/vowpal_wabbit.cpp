// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "exports/export_texts.hpp"
#include "formats/table_schema.hpp"
#include "formats/text_hashes.hpp"

// The file, as Vowpal Wabbit 9 writes it with --invert_hash or --readable_model, and --predict_only_model:
//   Version, Id, Min label, Max label, bits, lda, ngram, skip, options: a line each
//   :0
//   [NAME:]INDEX:WEIGHT   (indices ascending; of K classes the weights of classes 2 to K follow that of the first, and
//                          are called NAME[1], NAME[2], ...)
// A model of columns with names is one of features in the namespace without a name. The index of a feature is its hash,
// shifted to the left by the bits that number the classes, and cut to `bits` bits.

namespace hogwild::detail {
namespace {

constexpr std::uint64_t hash_of_constant = 11650396;
constexpr unsigned least_bits = 18, most_bits = 32;

struct vw_feature {
  std::uint64_t hash;  ///< before it is cut to so many bits
  std::string name;    ///< empty if it is not known
  const float* weights;
};

/// A name that a line of VW can have: blanks, ':' and '|' would end it.
std::string vw_name(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == ':' || c == '|'; }, '_');
  return name;
}

bool is_vw_text(const exported_model& model) {
  return model.schema && model.schema->text == named_text::vowpal_wabbit;
}

std::vector<vw_feature> features_of(const exported_model& model) {
  std::vector<vw_feature> all;
  for (std::size_t k = 0; k < model.columns(); ++k) {
    const float* const weights = model.form.weights.data() + k * model.form.outputs;
    if (is_vw_text(model)) {
      all.push_back({model.saved.columns[k] - 1, {}, weights});
      continue;
    }
    std::string name = vw_name(model.name(k));
    const std::uint64_t hash = vowpal_wabbit_hash(name, 0);
    all.push_back({hash, std::move(name), weights});
  }
  if (model.has_intercept())
    all.push_back({hash_of_constant, is_vw_text(model) ? "" : "Constant", model.form.intercept.data()});
  return all;
}

/// Whether all features have different indices.
bool are_apart(const std::vector<vw_feature>& features, unsigned bits) {
  std::vector<std::uint64_t> cut;
  for (const vw_feature& one : features) cut.push_back(one.hash & ((std::uint64_t{1} << bits) - 1));
  std::ranges::sort(cut);
  return std::ranges::adjacent_find(cut) == cut.end();
}

/// The bits of hashes: those of the model's text, or the fewest with which all features have different indices.
unsigned bits_of(const exported_model& model, const std::vector<vw_feature>& features) {
  if (is_vw_text(model)) {
    if (are_apart(features, model.schema->hash_bits)) return model.schema->hash_bits;
    throw config_error(
        "a column of this model has the index of Vowpal Wabbit's constant, so that one weight would stand "
        "for both; train with another --hash-bits, or without --bias");
  }
  for (unsigned bits = least_bits; bits <= most_bits; ++bits)
    if (are_apart(features, bits)) return bits;
  throw config_error(
      "two columns of this model have the same hash in Vowpal Wabbit, so that one weight would stand for "
      "both; a .json or .csv file holds them");
}

/// The lines of options that readers of VW's text must know to read the same features.
std::string vw_reading(const table_schema& schema) {
  std::string options;
  for (const table_column& column : schema.columns) {
    if (column.kind == table_kind::ignored) options += " --ignore " + column.name.substr(0, 1);
    if (column.kind != table_kind::interaction) continue;
    options += " --interactions ";
    for (const std::string& factor : factors_of(column.name)) options += factor.substr(0, 1);
  }
  return options;
}

/// The labels in the order of --oaa's numbers, with commas between them.
std::string vw_labels(const saved_model& saved) {
  std::vector<std::string> labels;
  for (const double label : saved.labels.values()) {
    std::string text = vw_name(saved.text_of_label(label));
    std::ranges::replace(text, ',', '_');
    if (std::ranges::find(labels, text) != labels.end())
      throw config_error("two labels of this model would be called " + quote(text) +
                         " in Vowpal Wabbit; a .json or .csv file holds them");
    labels.push_back(std::move(text));
  }
  std::string all;
  for (const std::string& label : labels) all += (all.empty() ? "" : ",") + label;
  return all;
}

/// The options that make VW predict as the model does.
std::string vw_options(const exported_model& model) {
  const scoring_form& form = model.form;
  std::string options;
  if (is_vw_text(model)) options += vw_reading(*model.schema);
  if (!model.has_intercept()) options += " --noconstant";
  if (form.decision == decision_kind::greatest)
    return options + " --named_labels " + vw_labels(model.saved) + " --oaa " + std::to_string(form.outputs);
  if (form.link == link_kind::logistic) options += " --link logistic";
  if (form.link == link_kind::exponential) options += " --link poisson";
  return options;
}

/// "0 ngram:", or "1 ngram:2 ".
std::string grams_line(const char* name, unsigned number) {
  const std::string heading = std::string(" ").append(name).append(":");
  return (number == 0 ? "0" + heading : "1" + heading + std::to_string(number) + " ") + "\n";
}

}  // namespace

std::string vowpal_wabbit_text(const exported_model& model, std::string_view) {
  const std::size_t outputs = model.form.outputs;
  std::vector<vw_feature> features = features_of(model);
  const unsigned shift = static_cast<unsigned>(std::bit_width(outputs - 1)), bits = bits_of(model, features) + shift;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (vw_feature& one : features) one.hash = (one.hash << shift) & mask;
  std::ranges::sort(features, {}, &vw_feature::hash);
  const std::string widest = to_text(std::numeric_limits<float>::max());  // Vowpal Wabbit cuts predictions off there
  const bool has_grams = is_vw_text(model) && model.schema->word_ngrams > 1;
  std::string text = "Version 9.11.0\nId hogwild " + std::string(build_info.version) + " " + model.saved.model +
                     "\nMin label:-" + widest + "\nMax label:" + widest + "\nbits:" + std::to_string(bits) +
                     "\nlda:0\n" + grams_line("ngram", has_grams ? model.schema->word_ngrams : 0) +
                     grams_line("skip", has_grams ? model.schema->word_skips : 0) + "options:" + vw_options(model) +
                     "\n:0\n";
  for (const vw_feature& one : features)
    for (std::size_t i = 0; i < outputs; ++i) {
      if (!one.name.empty()) text += one.name + (i == 0 ? "" : "[" + std::to_string(i) + "]") + ":";
      text += std::to_string(one.hash + i) + ":" + to_text(one.weights[i]) + "\n";
    }
  return text;
}

}  // namespace hogwild::detail
