// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/documents.hpp>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
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

std::vector<float> infer_documents(const saved_model& saved, const sparse_view& rows, const document_inference& how) {
  if (documents_in(saved) == 0) throw input_error("a " + saved.model + " model gives no vectors to documents");
  auto m = std::get<paragraph_vectors>(model_of_words(saved, saved.names.size()));
  std::vector<float> parameters = parameters_of_words(saved, m, *words_of(saved), "the text");
  m.documents = rows.rows();
  parameters.resize(m.dim());
  rows.ensure(0, rows.rows());
  const param_reader<float> reader(parameters.data(), parameters.size());
  const float longest_step = static_cast<float>(how.step * m.groups().front().step_factor);
  tbb::enumerable_thread_specific<window_space> spaces([&] { return m.make_workspace(rows, isa::automatic, 1); });
  tbb::parallel_for(std::size_t{0}, rows.rows(), [&](std::size_t document) {
    row_cursor cursor(rows);
    sparse_row<float> words = cursor.row(document);
    words.id = document;
    const std::size_t offset = m.document_at(document);
    const std::span<float> vector = std::span(parameters).subspan(offset, m.width());
    std::ranges::fill(vector, 0.0f);
    if (words.size() == 0) return;
    const std::uint64_t stream = stream_of(words);
    const counter_random start(how.seed, stream);
    for (std::size_t k = 0; k < m.dimension; ++k)
      vector[k] = static_cast<float>((start.uniform(k) - 0.5) / static_cast<double>(m.dimension));
    window_space& space = spaces.local();
    for (std::size_t epoch = 0; epoch < how.epochs; ++epoch) {
      const float left = 1.0f - static_cast<float>(epoch) / static_cast<float>(how.epochs);
      m.take(space, 0, words, counter_random(how.seed, stream + epoch + 1));
      m.gradient(reader, space, 1, document_step{vector, offset, longest_step * left});
    }
  });
  std::vector<float> made;
  made.reserve(rows.rows() * m.dimension);
  for (std::size_t document = 0; document < rows.rows(); ++document) {
    const auto row = std::span(parameters).subspan(m.document_at(document), m.dimension);
    made.insert(made.end(), row.begin(), row.end());
  }
  return made;
}

}  // namespace hogwild
