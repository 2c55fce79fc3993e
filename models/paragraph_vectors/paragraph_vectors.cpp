// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/paragraph_vectors.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "words/window_descriptor.hpp"

namespace hogwild {
namespace {

constexpr std::string_view by_memory = "dm", words_too = "train-words", thinned = "sample";
constexpr double usual_sample = 1e-3;  // documents have few words

std::vector<model_option> document_options() {
  std::vector<model_option> all = detail::window_options();
  std::erase_if(all, [](const model_option& o) { return o.name == "subwords" || o.name == "buckets"; });
  model_option& sample = *std::ranges::find(all, thinned, &model_option::name);
  sample = number_option(sample.name, usual_sample, sample.help);
  all.push_back(flag_option(std::string(by_memory),
                            "a document's vector and those of a word's neighbours predict the word by their mean "
                            "(PV-DM); else the document's alone does (PV-DBOW)"));
  all.push_back(flag_option(std::string(words_too), "without --dm: words get vectors, too, as by skip_gram"));
  return all;
}

class document_descriptor final : public descriptor_for<paragraph_vectors> {
 public:
  document_descriptor()
      : descriptor_for({.summary = "vectors of documents, which predict their words",
                        .input = model_input::corpus,
                        .options = document_options(),
                        .uses = {"min-count"},
                        .documents = true}) {}

  void check(const model_options& options) const override {
    detail::check_window_options(options);
    if (options.flag(by_memory, false) && options.given(words_too))
      throw config_error("--dm trains the vectors of words always: leave out --train-words");
  }

  named_model make(const model_data& data, const model_options& options) const override {
    paragraph_vectors m{{detail::windows_for(data.rows, options)}};
    m.sample = options.number(thinned, usual_sample);
    m.memory = options.flag(by_memory, false);
    m.neighbours = m.memory || options.flag(words_too, false);
    auto rows = static_cast<double>(data.rows.rows());
    if (data.sum_of_all) data.sum_of_all({&rows, 1});
    m.documents = static_cast<std::size_t>(rows);
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model&) const override {
    throw input_error("vectors of documents say nothing of rows; 'hogwild predict' makes those of other documents");
  }

 private:
  saved_model save_model(const paragraph_vectors&, const trained_parameters&) const override {
    throw config_error("the parameters of paragraph_vectors are saved as vectors of documents");
  }
};

}  // namespace

void paragraph_vectors::require_data(const sparse_view& rows, std::string_view source) const {
  const std::size_t after = rows.id.empty() ? rows.first_row + rows.rows() : std::size_t{std::ranges::max(rows.id)} + 1;
  if (after > documents)
    throw config_error(std::string(source) + ": the model has vectors of " + std::to_string(documents) +
                       " documents, and the text has more lines: give the text that it was trained on");
}

template <>
const model_descriptor& descriptor_of<paragraph_vectors>() {
  static const document_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
