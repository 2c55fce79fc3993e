// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/documents.hpp>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

word_vectors numbered(std::size_t documents, std::size_t dimension) {
  word_vectors made{.dimension = dimension};
  for (std::size_t document = 0; document < documents; ++document) made.words.push_back(std::to_string(document));
  return made;
}

/// A number that the words of a document determine.
std::uint64_t stream_of(const sparse_row<float>& words) {
  std::uint64_t stream = words.size();
  for (const std::uint32_t word : words.index) stream = mix_bits(stream + word);
  return stream;
}

/// Reads the vector of one document, which others do not see, behind parameters that nobody changes.
struct document_reader {
  param_reader<float> words, vector;
  block_reader<float> block(std::size_t at, std::size_t n) const {
    return at == words.size() ? vector.block(0, n) : words.block(at, n);
  }
};

/// Changes a document's vector, and nothing else.
struct document_step {
  std::span<float> vector;
  std::size_t offset;  ///< of the vector, behind everything else that is emitted
  float step;

  void block(std::size_t at, std::span<const float> gradient) const {
    if (at != offset) return;
    for (std::size_t k = 0; k < gradient.size(); ++k) vector[k] -= step * gradient[k];
  }
};

void require_in_range(const document_inference& how) {
  constexpr std::size_t most_epochs = 1'000'000;
  constexpr double longest_step = 10.0;
  if (!(how.step > 0.0 && how.step <= longest_step))
    throw config_error("the first step for a document is a number above 0, and at most 10");
  if (how.epochs == 0 || how.epochs > most_epochs)
    throw config_error("a document is gone through 1 to " + std::to_string(most_epochs) + " times");
}

}  // namespace

word_vectors documents_of(const paragraph_vectors& m, std::span<const float> parameters) {
  if (parameters.size() != m.dim())
    throw config_error("the model has " + std::to_string(m.dim()) + " parameters, not " +
                       std::to_string(parameters.size()));
  word_vectors made = numbered(m.documents, m.dimension);
  for (std::size_t document = 0; document < m.documents; ++document) {
    const auto row = parameters.subspan(m.document_at(document), m.dimension);
    made.values.insert(made.values.end(), row.begin(), row.end());
  }
  return made;
}

word_vectors documents_of(const saved_model& saved) {
  const std::size_t documents = documents_in(saved);
  if (documents == 0) throw input_error("a " + saved.model + " model has no vectors of documents");
  word_vectors made = numbered(documents, saved.bias.size() / documents);
  made.values = saved.bias;
  return made;
}

struct document_vectors::prepared {
  explicit prepared(const saved_model& saved) {
    if (documents_in(saved) == 0) throw input_error("a " + saved.model + " model gives no vectors to documents");
    words = *words_of(saved);
    m = std::get<paragraph_vectors>(model_of_words(saved, words.size()));
    parameters = parameters_of_words(saved, m, words, "the text");
    m.documents = 1;  // the one that a thread works on
    parameters.resize(m.document_at(0));
  }

  paragraph_vectors m;
  vocabulary words;
  std::vector<float> parameters;  ///< those of words
  tbb::enumerable_thread_specific<std::optional<window_space>> spaces;
};

document_vectors::document_vectors(const saved_model& saved) : prepared_(std::make_unique<prepared>(saved)) {}
document_vectors::~document_vectors() = default;
document_vectors::document_vectors(document_vectors&&) noexcept = default;
document_vectors& document_vectors::operator=(document_vectors&&) noexcept = default;

const vocabulary& document_vectors::words() const {
  return prepared_->words;
}

std::vector<float> document_vectors::of(const sparse_view& rows, const document_inference& how) const {
  require_in_range(how);
  const paragraph_vectors& model = prepared_->m;
  rows.ensure(0, rows.rows());
  std::vector<float> made(rows.rows() * model.dimension);
  tbb::parallel_for(std::size_t{0}, rows.rows(), [&](std::size_t document) {
    row_cursor cursor(rows);
    sparse_row<float> words = cursor.row(document);
    words.id = 0;
    if (words.size() == 0) return;
    const std::uint64_t stream = stream_of(words);
    const counter_random start(how.seed, stream);
    std::vector<float> vector(model.width());
    for (std::size_t k = 0; k < model.dimension; ++k)
      vector[k] = static_cast<float>((start.uniform(k) - 0.5) / static_cast<double>(model.dimension));
    std::optional<window_space>& space = prepared_->spaces.local();
    if (!space) space.emplace(model.make_workspace(rows, isa::automatic, 1));
    std::vector<float>& of_words = prepared_->parameters;
    const document_reader reader{{of_words.data(), of_words.size()}, {vector.data(), vector.size()}};
    const float longest_step = static_cast<float>(how.step * model.groups().front().step_factor);
    for (std::size_t epoch = 0; epoch < how.epochs; ++epoch) {
      const float left = 1.0f - static_cast<float>(epoch) / static_cast<float>(how.epochs);
      model.take(*space, 0, words, counter_random(how.seed, stream + epoch + 1));
      model.gradient(reader, *space, 1, document_step{vector, of_words.size(), longest_step * left});
    }
    std::copy_n(vector.begin(), model.dimension,
                made.begin() + static_cast<std::ptrdiff_t>(document * model.dimension));
  });
  return made;
}

std::vector<float> infer_documents(const saved_model& saved, const sparse_view& rows, const document_inference& how) {
  return document_vectors(saved).of(rows, how);
}

}  // namespace hogwild
