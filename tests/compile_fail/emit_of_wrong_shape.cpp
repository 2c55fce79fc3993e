// SPDX-License-Identifier: Apache-2.0
// emit takes one coordinate and its partial; a run of partials goes through emit.block.
#include <array>

#include <hogwild/model.hpp>

struct wholesale {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
  std::size_t dim() const { return 2; }
  double loss(const auto& w, const example_type&) const { return w[0]; }
  void gradient(const auto& w, const example_type&, const auto& emit) const {
    const std::array<float, 2> partials{w[0], w[1]};
#ifdef GOOD
    emit.block(0, std::span(partials));
#endif
#ifdef BAD
    emit(0, std::span(partials));
#endif
  }
};
static_assert(hogwild::conforms<wholesale>());
