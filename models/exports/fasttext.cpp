// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/models/text_vectors.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/model_exports.hpp>
#include <hogwild/models/cbow.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/models/text_classifier.hpp>

#include "formats/labelled_text_parser.hpp"
#include "formats/table_schema.hpp"
#include "words/fasttext_file.hpp"

namespace hogwild {
namespace {

std::int32_t count_of(const saved_model& saved, std::string_view option, std::int32_t otherwise) {
  return static_cast<std::int32_t>(std::min(detail::told_option(saved, option).value_or(otherwise), 0x1p30));
}

void append(std::vector<float>& to, std::span<const float> row) {
  to.insert(to.end(), row.begin(), row.end());
}

/// fastText's vector of a word is the mean of its own and those of its parts. The own one is what makes that mean the
/// word's vector here.
void append_own_row(std::vector<float>& to, std::span<const float> vector, std::span<const std::uint32_t> parts,
                    const subword_vectors& of_parts) {
  for (std::size_t k = 0; k < vector.size(); ++k) {
    double own = static_cast<double>(vector[k]) * static_cast<double>(parts.size() + 1);
    for (const std::uint32_t part : parts) own -= static_cast<double>(of_parts.row(part)[k]);
    to.push_back(static_cast<float>(own));
  }
}

/// Refers to the saved model.
detail::fasttext_model fasttext_of_words(const saved_model& saved, const known_words& known) {
  const std::size_t dimension = known.vectors.dimension;
  detail::fasttext_model made{
      .dimension = static_cast<std::int32_t>(dimension),
      .window = count_of(saved, "window", 5),
      .least_count = count_of(saved, "min-count", 1),
      .negatives = count_of(saved, "negative", 5),
      .of = saved.model == cbow::name ? detail::fasttext_model::kind::cbow : detail::fasttext_model::kind::skip_gram,
      .sample = detail::told_option(saved, "sample").value_or(1e-4),
      .words = known.vectors.words};
  for (std::size_t w = 0; w < made.words.size(); ++w) append(made.outputs, saved.row(w).last(dimension));
  if (!known.parts) {
    made.rows = known.vectors.values;
    return made;
  }
  const subword_table& table = known.parts->table();
  made.buckets = static_cast<std::int32_t>(table.shape().buckets);
  made.least = static_cast<std::int32_t>(table.shape().least);
  made.most = static_cast<std::int32_t>(table.shape().most);
  for (std::size_t w = 0; w < made.words.size(); ++w) {
    const bool has_parts = made.words[w] != detail::fasttext_end_of_line;
    append_own_row(made.rows, known.vectors.row(w), has_parts ? table.parts().of(w) : std::span<const std::uint32_t>(),
                   *known.parts);
  }
  for (std::uint32_t bucket = 0; bucket < table.shape().buckets; ++bucket)
    if (const std::uint32_t part = table.number_of(bucket); part != subword_table::none)
      made.filled.emplace_back(bucket, std::span(saved.bias).subspan(part * dimension, dimension));
  return made;
}

/// Of a text_classifier, to which the result refers. Throws config_error where fastText would read a text otherwise.
class text_writer {
 public:
  text_writer(const saved_model& saved, const std::string& source)
      : saved_(saved), source_(source), schema_(schema_of(saved, source)) {}

  detail::fasttext_model run() {
    if (!schema_ || schema_->text != named_text::labelled_text)
      refuse("it was trained on other rows than labelled text, and fastText reads no others");
    if (saved_.width == 0 || saved_.bias.size() != saved_.labels.classes() * saved_.width)
      throw input_error(source_ + ": the labels or the width do not suit the number of parameters");
    if (schema_->hash_bits > 0) refuse("its words have columns by hash, and fastText has words by name");
    const bool has_runs = schema_->word_ngrams > 1, has_parts = schema_->most_characters > 0;
    if (has_runs && has_parts)
      refuse(
          "runs and parts of words have vectors apart here, and the same ones in fastText: leave out "
          "--word-ngrams or --char-ngrams");
    made_.dimension = static_cast<std::int32_t>(saved_.width);
    made_.word_ngrams = static_cast<std::int32_t>(schema_->word_ngrams);
    made_.by = detail::saved_flag(saved_, "one_vs_rest") ? detail::fasttext_model::loss::one_vs_rest
                                                         : detail::fasttext_model::loss::softmax;
    made_.least = static_cast<std::int32_t>(schema_->least_characters);
    made_.most = static_cast<std::int32_t>(schema_->most_characters);
    made_.buckets = has_runs || has_parts ? std::int32_t{1} << detail::bits_of_interactions(*schema_) : 0;
    for (std::size_t k = 0; k < saved_.columns.size(); ++k) take_column(saved_.columns[k], saved_.row(k));
    for (const double label : saved_.labels.values()) {
      if (!(label >= 0.0 && label < static_cast<double>(schema_->labels.size()))) refuse("its labels are no words");
      made_.labels.push_back("__label__" + checked(schema_->labels[static_cast<std::size_t>(label)]));
    }
    made_.outputs = saved_.bias;
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw config_error(source_ + ": fastText's form does not hold this model: " + why);
  }

  std::string checked(std::string word) const {
    if (word == detail::fasttext_end_of_line || word.find('\0') != word.npos)
      refuse("the word " + quote(word) + " is an end of a line or a blank there: leave it out of the text");
    return word;
  }

  void take_column(std::uint32_t number, std::span<const float> row) {
    const std::uint32_t place = number - 1, value = place & ((1u << schema_->value_bits) - 1);
    if (place >> schema_->value_bits != static_cast<std::uint32_t>(detail::labelled_text_column::word)) {
      made_.filled.emplace_back(value, row);
      return;
    }
    const std::string_view word = word_of_column(*schema_, number);
    if (word.empty()) refuse("rare words share a vector here, and fastText leaves them out: train without --min-rows");
    made_.words.push_back(checked(std::string(word)));
    append(made_.rows, row);
  }

  const saved_model& saved_;
  const std::string& source_;
  const std::optional<table_schema> schema_;
  detail::fasttext_model made_{.of = detail::fasttext_model::kind::classifier};
};

detail::fasttext_model fasttext_model_of(const saved_model& saved, const std::string& source) {
  if (saved.model == text_classifier::name) return text_writer(saved, source).run();
  if (saved.model != skip_gram::name && saved.model != cbow::name)
    throw config_error(source + ": fastText has no " + saved.model +
                       " model; its form holds skip_gram, cbow and text_classifier");
  if (detail::told_option(saved, "hierarchical").value_or(0.0) != 0.0)
    throw config_error(source +
                       ": the outputs of a hierarchical model belong to a tree, which fastText builds otherwise; its "
                       "words' vectors are written to a name that ends in .vec");
  return fasttext_of_words(saved, words_in(saved, source));
}

}  // namespace

void export_to_fasttext(const std::filesystem::path& path, const saved_model& model, const std::string& source,
                        const std::function<void(std::string_view)>& note) {
  constexpr std::size_t bytes_at_once = std::size_t{1} << 20;
  const detail::fasttext_model made = fasttext_model_of(model, source);
  atomic_file file(path);
  std::vector<std::byte> bytes;
  detail::write_fasttext(made, [&](std::span<const std::byte> some) {
    bytes.insert(bytes.end(), some.begin(), some.end());
    if (bytes.size() < bytes_at_once) return;
    file.write(bytes);
    bytes.clear();
  });
  file.write(bytes);
  file.commit();
  if (made.of == detail::fasttext_model::kind::classifier && made.buckets > 0 && note)
    note(
        "fastText counts runs and parts of words that no training text had, and runs with the end of a line, as "
        "zeros: its probabilities of texts that have some are less sure");
}

}  // namespace hogwild
