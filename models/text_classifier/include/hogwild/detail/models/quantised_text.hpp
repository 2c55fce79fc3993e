// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <hogwild/detail/embeddings/product_quantiser.hpp>
#include <hogwild/saved_model.hpp>

namespace hogwild {

/// How a text_classifier is made smaller.
struct text_quantisation {
  quantisation rows{.lengths = true};
  bool labels = false;     ///< whether the vectors of labels are quantised, too
  std::size_t cutoff = 0;  ///< columns that are kept: those with the longest vectors; 0: all
};

/// A text_classifier whose vectors are quantised (Joulin and others, FastText.zip: Compressing text classification
/// models, 2016). It holds no state of an optimiser. Throws config_error for another model, for one that is quantised,
/// and for numbers out of range; `source` is its name in messages.
saved_model quantised_text(const saved_model& saved, const text_quantisation& how, const std::string& source);

}  // namespace hogwild
