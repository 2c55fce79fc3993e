// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Learns the vectors of the documents of a text, which is read with the words of the saved model (words_of()), while
/// those of words stay as they are: `dimension` numbers a row. A vector depends on the document's words and the seed
/// alone; that of a document without a known word is 0. All CPUs work on it. Throws input_error as documents_of() does.
std::vector<float> infer_documents(const saved_model& saved, const sparse_view& rows,
                                   const document_inference& how = {});

}  // namespace hogwild
