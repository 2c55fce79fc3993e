// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/embeddings/block_products.hpp>
#include <hogwild/detail/models/model_options.hpp>

namespace hogwild::detail {

/// --products, of models that are trained in blocks of sources against targets.
inline model_option products_option() {
  return word_option("products", {"float", "bf16"},
                     "what training multiplies: floats, or their first 16 bits, faster by AMX or AVX512_BF16; "
                     "measuring and predicting take floats");
}

/// Reads --products; float by default. Throws config_error for bf16 if this machine does not multiply it.
inline product_numbers products_of(const model_options& options) {
  if (options.text("products", "float") == "float") return product_numbers::floats;
  bf16_kernels_here();
  return product_numbers::bf16;
}

}  // namespace hogwild::detail
