// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/models/paragraph_vectors.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

// Vectors of documents (paragraph_vectors): those of a trained model, and those that it gives to other documents.

namespace hogwild {

/// The vectors of a trained model's documents, whose names are the numbers of their lines, from 0 on.
word_vectors documents_of(const paragraph_vectors& m, std::span<const float> parameters);
/// The same of a saved model. Throws input_error if it is none of documents, or not valid.
word_vectors documents_of(const saved_model& saved);

/// How vectors of other documents are learned.
struct document_inference {
  std::size_t epochs = 50;  ///< times that each document is gone through
  double step = 0.1;        ///< the first one, as in training; it falls linearly to nothing
  std::uint64_t seed = 1;
};

/// Makes vectors of documents, by a model that is prepared once. Any number of threads may use it.
class document_vectors {
 public:
  /// Throws input_error as documents_of() does.
  explicit document_vectors(const saved_model& saved);
  ~document_vectors();
  document_vectors(document_vectors&&) noexcept;
  document_vectors& operator=(document_vectors&&) noexcept;

  /// The words of the model.
  const vocabulary& words() const;
  /// Learns the vectors of the documents of a text, which is read with words(), while those of words stay as they are:
  /// `dimension` numbers a row. A vector depends on the document's words and `how` alone; that of a document without a
  /// known word is 0. All CPUs work on it. Throws config_error if `how` is out of range.
  std::vector<float> of(const sparse_view& rows, const document_inference& how = {}) const;

 private:
  struct prepared;
  std::unique_ptr<prepared> prepared_;
};

/// The same for one text.
std::vector<float> infer_documents(const saved_model& saved, const sparse_view& rows,
                                   const document_inference& how = {});

}  // namespace hogwild
