// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/word_model.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include <hogwild/detail/embeddings/row_figures.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/models/glove.hpp>
#include <hogwild/models/line_vectors.hpp>
#include <hogwild/models/node_vectors.hpp>
#include <hogwild/models/paragraph_vectors.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {
namespace {

constexpr std::string_view least_count = "min-count", tree = "hierarchical";
constexpr std::string_view documents_told = "documents", by_memory = "dm", words_too = "train-words";
constexpr std::string_view least_part = "least-characters", most_part = "most-characters", buckets = "buckets",
                           part_numbers = "parts";

/// A saved model keeps these numbers beside the options of the model.
bool is_beside_options(std::string_view name) {
  return name == least_count || name == documents_told || name == least_part || name == most_part || name == buckets ||
         name == part_numbers;
}

bool keeps_counts(const window_model& windows) {
  return windows.hierarchical || windows.documents > 0;
}

/// Numbers of a row: two vectors, and perhaps the word's count.
std::size_t saved_width(const window_model& windows) {
  return 2 * windows.dimension + (keeps_counts(windows) ? 1 : 0);
}

const window_model& window_of_words(const named_model& m, const vocabulary& words) {
  const window_model* const windows = detail::windows_of(m);
  if (windows == nullptr) throw config_error("a " + std::string(name_of(m)) + " model has no word vectors");
  if (windows->words != words.size())
    throw config_error("the model was made for " + std::to_string(windows->words) + " words, but the vocabulary has " +
                       std::to_string(words.size()));
  return *windows;
}

void require_rows(const saved_model& saved, const window_model& windows) {
  if (saved.width != saved_width(windows) || saved.names.size() != saved.columns.size())
    throw input_error("a model of words has a named row for each, of two vectors of " +
                      std::to_string(windows.dimension) + " numbers" +
                      (keeps_counts(windows) ? ", and a count before them" : ""));
}

/// Copies the vectors of those parts of words that the saved model has.
void copy_parts(const saved_model& saved, const window_model& windows, const vocabulary& words,
                std::span<float> parameters) {
  const std::optional<subword_vectors> from = subword_vectors_of(saved);
  if (!from || from->table().shape() != windows.subwords)
    throw config_error(
        "the saved model has other parts of words than this one: give it the same --subwords and --buckets");
  const subword_table own(words, windows.subwords);
  for (std::uint32_t bucket = 0; bucket < windows.subwords.buckets; ++bucket) {
    const std::uint32_t to = own.number_of(bucket), there = from->table().number_of(bucket);
    if (to != subword_table::none && there != subword_table::none)
      std::ranges::copy(from->row(there), parameters.begin() + static_cast<std::ptrdiff_t>(windows.part_at(to)));
  }
}

}  // namespace

void detail::word_layout::read(std::span<const float> parameters, std::size_t word, std::span<float> to) const {
  std::ranges::fill(to, 0.0f);
  for (std::size_t place = 0; place < begins.size(); ++place) {
    const auto from = parameters.subspan(begins[place] + word * stride, numbers());
    const double square = joined ? squares_of(from) : 1.0;
    const double by = square > 0.0 ? 1.0 / std::sqrt(square) : 1.0;  // of a tiny vector, no float holds it
    float* const at = to.data() + (joined ? place * numbers() : 0);
    for (std::size_t k = 0; k < from.size(); ++k) at[k] += static_cast<float>(static_cast<double>(from[k]) * by);
  }
}

std::size_t detail::word_layout::write(std::span<const float> vector, std::size_t word,
                                       std::span<float> parameters) const {
  const float by = joined ? 1.0f : 1.0f / static_cast<float>(begins.size());
  for (std::size_t place = 0; place < begins.size(); ++place)
    for (std::size_t k = 0; k < numbers(); ++k)
      parameters[begins[place] + word * stride + k] = vector[(joined ? place * numbers() : 0) + k] * by;
  return begins.size() * numbers();
}

std::optional<detail::word_layout> detail::word_layout_of(const named_model& m) {
  if (const window_model* const windows = windows_of(m))
    return word_layout{windows->words, windows->dimension, windows->row(), {windows->input_of(0)}};
  if (const auto* const pairs = std::get_if<glove>(&m))
    return word_layout{pairs->users, pairs->factors, pairs->width(), {0, pairs->users * pairs->width()}};
  if (const auto* const nodes = std::get_if<node_vectors>(&m))
    return word_layout{nodes->words, nodes->dimension, nodes->row(), {nodes->input_of(0)}};
  if (const auto* const edges = std::get_if<line_vectors>(&m)) {
    const bool both = edges->first && edges->second;
    return word_layout{edges->words, edges->dimension, edges->width(),
                       both ? std::vector{std::size_t{0}, edges->second_order()} : std::vector{std::size_t{0}}, both};
  }
  return std::nullopt;
}

word_vectors detail::vectors_of_words(const named_model& m, std::span<const float> parameters,
                                      const vocabulary& words) {
  const auto layout = word_layout_of(m);
  if (!layout) throw config_error("a " + std::string(name_of(m)) + " model has no word vectors");
  if (layout->words != words.size() || parameters.size() < layout->begins.size() * words.size() * layout->stride)
    throw config_error("the model was made for " + std::to_string(layout->words) + " words, but the vocabulary has " +
                       std::to_string(words.size()));
  word_vectors vectors{.dimension = layout->dimension};
  vectors.words.reserve(words.size());
  vectors.values.resize(words.size() * layout->dimension);
  const window_model* const windows = windows_of(m);
  const auto parts = windows == nullptr ? std::nullopt : std::optional(word_parts(*windows, words));
  for (std::size_t w = 0; w < words.size(); ++w) {
    vectors.words.emplace_back(words.word(w));
    const std::span<float> to = std::span(vectors.values).subspan(w * layout->dimension, layout->dimension);
    layout->read(parameters, w, to);
    if (parts) parts->add(parameters, w, to);
  }
  return vectors;
}

saved_model word_model_of(const named_model& m, std::span<const float> parameters, const vocabulary& words,
                          std::uint64_t min_count) {
  const window_model& windows = window_of_words(m, words);
  if (parameters.size() != windows.dim())
    throw config_error("the model has " + std::to_string(windows.dim()) + " parameters, not " +
                       std::to_string(parameters.size()));
  saved_model saved{.model = std::string(name_of(m)), .width = saved_width(windows)};
  saved.model_options = {{"dimension", static_cast<double>(windows.dimension)},
                         {"window", static_cast<double>(windows.window)},
                         windows.hierarchical
                             ? std::pair{std::string(tree), 1.0}
                             : std::pair{std::string("negative"), static_cast<double>(windows.negative)},
                         {"sample", windows.sample},
                         {std::string(least_count), static_cast<double>(min_count)}};
  if (windows.subwords.any()) {
    const auto& [least, most, of] = windows.subwords;
    saved.model_options.insert(saved.model_options.end(),
                               {{std::string(least_part), static_cast<double>(least)},
                                {std::string(most_part), static_cast<double>(most)},
                                {std::string(buckets), static_cast<double>(of)},
                                {std::string(part_numbers), static_cast<double>(windows.parts * windows.dimension)}});
    for (std::size_t part = 0; part < windows.parts; ++part) {
      const auto row = parameters.subspan(windows.part_at(part), windows.dimension);
      saved.bias.insert(saved.bias.end(), row.begin(), row.end());
    }
  }
  if (const auto* const documents = std::get_if<paragraph_vectors>(&m)) {
    saved.model_options.insert(
        saved.model_options.end(),
        {{std::string(documents_told), static_cast<double>(documents->documents)},
         {std::string(documents->memory ? by_memory : words_too), documents->neighbours ? 1.0 : 0.0}});
    for (std::size_t document = 0; document < documents->documents; ++document) {
      const auto row = parameters.subspan(documents->document_at(document), documents->dimension);
      saved.bias.insert(saved.bias.end(), row.begin(), row.end());
    }
  }
  const word_vectors inputs = detail::vectors_of_words(m, parameters, words);
  saved.weights.reserve(words.size() * saved.width);
  for (std::uint32_t w = 0; w < words.size(); ++w) {
    saved.columns.push_back(w);
    saved.names.emplace_back(words.word(w));
    if (keeps_counts(windows)) saved.weights.push_back(static_cast<float>(words.count(w)));
    for (const auto row : {inputs.row(w), parameters.subspan(windows.output_of(w), windows.dimension)})
      saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  return saved;
}

std::optional<subword_shape> subwords_of(const saved_model& saved) {
  subword_shape shape;
  for (const auto& [name, value] : saved.model_options) {
    std::uint32_t* const to = name == least_part  ? &shape.least
                              : name == most_part ? &shape.most
                              : name == buckets   ? &shape.buckets
                                                  : nullptr;
    if (to == nullptr) continue;
    if (!(value >= 1.0 && value <= subword_shape::most_buckets && value == std::floor(value)))
      throw input_error("option " + name + ": a number from 1 to " + std::to_string(subword_shape::most_buckets));
    *to = static_cast<std::uint32_t>(value);
  }
  if (!shape.any()) return std::nullopt;
  if (shape.least < 1 || shape.least > shape.most || shape.most > longest_subword)
    throw input_error("parts of words have from 'least-characters' to 'most-characters', at most " +
                      std::to_string(longest_subword));
  return shape;
}

word_vectors inputs_of(const saved_model& saved) {
  const named_model m = model_of_words(saved, saved.names.size());
  const window_model* const windows = detail::windows_of(m);
  if (windows == nullptr) throw input_error("a " + saved.model + " model has no word vectors");
  require_rows(saved, *windows);
  if (!windows->neighbours)
    throw input_error("its words have no vectors: a " + saved.model + " model trains them with --dm or --train-words");
  word_vectors vectors{.dimension = windows->dimension, .words = saved.names};
  for (std::size_t row = 0; row < saved.names.size(); ++row) {
    const auto input = saved.row(row).last(2 * windows->dimension).first(windows->dimension);
    vectors.values.insert(vectors.values.end(), input.begin(), input.end());
  }
  return vectors;
}

std::size_t documents_in(const saved_model& saved) {
  const named_model m = model_of_words(saved, saved.names.size());
  const window_model* const windows = detail::windows_of(m);
  if (windows == nullptr || windows->documents == 0) return 0;
  if (saved.bias.size() != windows->documents * windows->dimension)
    throw input_error("the model has " + std::to_string(saved.bias.size()) + " numbers for its " +
                      std::to_string(windows->documents) + " documents, and not " + std::to_string(windows->dimension) +
                      " for each");
  return windows->documents;
}

std::uint64_t min_count_of(const saved_model& saved) {
  for (const auto& [name, value] : saved.model_options)
    if (name == least_count && value >= 1.0 && value <= 0x1p53) return static_cast<std::uint64_t>(value);
  throw input_error("a model of words has the option 'min-count', a number from 1 on");
}

std::optional<vocabulary> words_of(const saved_model& saved) {
  if (detail::told_option(saved, tree).value_or(0.0) == 0.0 &&
      detail::told_option(saved, documents_told).value_or(0.0) == 0.0)
    return std::nullopt;
  const auto fail = [] {
    throw input_error(
        "a hierarchical model of words, or a model of documents, has a named row for each word, which begins with how "
        "often the word occurred: a whole number, not above that of the row before");
  };
  if (saved.names.size() != saved.columns.size() || saved.width == 0) fail();
  std::vector<vocabulary::counted_word> words;
  for (std::size_t row = 0; row < saved.names.size(); ++row) {
    const auto count = static_cast<double>(saved.row(row).front());
    if (!(count >= 1.0 && count <= 0x1p53 && count == std::floor(count))) fail();
    words.push_back({saved.names[row], static_cast<std::uint64_t>(count)});
    if (row > 0 && words[row].count > words[row - 1].count) fail();
  }
  vocabulary made = vocabulary::in_order(words);
  for (std::size_t row = 0; row < words.size(); ++row)
    if (made.find(words[row].word) != row)
      throw input_error("a model of words has the word " + quote(words[row].word) + " twice");
  return made;
}

named_model model_of_words(const saved_model& saved, std::size_t words) {
  const model_descriptor& known = model_named(saved.model);
  model_options options;
  for (const auto& [name, value] : saved.model_options) {
    if (is_beside_options(name)) continue;
    const auto o = std::ranges::find(known.facts().options, name, &model_option::name);
    if (o == known.facts().options.end()) throw input_error("a " + saved.model + " model has no option " + quote(name));
    const std::string text = o->is_flag() ? value != 0.0 ? "true" : "false" : detail::to_text(value);
    if (const std::string fault = o->fault(text); !fault.empty()) throw input_error("option " + name + ": " + fault);
    options.set(name, text);
  }
  try {
    const named_model m = make_model(saved.model, {}, options);
    const double told = detail::told_option(saved, documents_told).value_or(0.0);
    const bool holds = std::holds_alternative<paragraph_vectors>(m);
    if (holds != (told > 0.0) || !(told <= 0x1p32 && told == std::floor(told)))
      throw input_error("a paragraph_vectors model, and no other, has the option 'documents', a number from 1 on");
    const auto documents = static_cast<std::size_t>(told);
    return std::visit(
        [&]<class M>(M concrete) -> named_model {
          if constexpr (std::derived_from<M, window_model>) concrete.words = words;
          if constexpr (std::same_as<M, paragraph_vectors>) concrete.documents = documents;
          return concrete;
        },
        m);
  } catch (const config_error& e) {
    throw input_error(e.what());
  }
}

std::vector<float> parameters_of_words(const saved_model& saved, const named_model& m, const vocabulary& words,
                                       const std::string& source) {
  const window_model& windows = window_of_words(m, words);
  require_rows(saved, windows);
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t row = 0; row < saved.names.size(); ++row) rows.emplace(saved.names[row], row);
  std::vector<float> parameters(windows.dim());
  for (std::size_t w = 0; w < words.size(); ++w) {
    const auto found = rows.find(words.word(w));
    if (found == rows.end()) throw input_error("the model has no vectors of " + quote(words.word(w)) + " in " + source);
    if (keeps_counts(windows) && found->second != w)
      throw config_error(
          "a text is read with the words of a hierarchical model, or of one of documents, in their order, to be "
          "measured by it");
    const std::span<const float> row = saved.row(found->second).last(2 * windows.dimension);
    const auto at = [&](std::size_t begin) { return parameters.begin() + static_cast<std::ptrdiff_t>(begin); };
    std::ranges::copy(row.first(windows.dimension), at(windows.input_of(w)));
    std::ranges::copy(row.last(windows.dimension), at(windows.output_of(w)));
  }
  if (documents_in(saved) == windows.documents)
    for (std::size_t document = 0; document < windows.documents; ++document)
      std::ranges::copy(std::span(saved.bias).subspan(document * windows.dimension, windows.dimension),
                        parameters.begin() + static_cast<std::ptrdiff_t>(windows.document_at(document)));
  if (windows.parts == 0) return parameters;
  copy_parts(saved, windows, words, parameters);
  const detail::word_parts parts(windows, words);
  for (std::size_t w = 0; w < words.size(); ++w) parts.separate(w, parameters);
  return parameters;
}

}  // namespace hogwild
