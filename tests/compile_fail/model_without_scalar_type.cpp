// SPDX-License-Identifier: Apache-2.0
// A general model states the type of its parameters; without that, the message of conforms() says what to add.
#include <hogwild/model.hpp>

struct typeless {
#ifdef GOOD
  using scalar_type = float;
#endif
  using example_type = hogwild::sparse_row<float>;
  std::size_t dim() const {
    return 1;
  }
  double loss(const auto& w, const example_type&) const {
    return w[0];
  }
  void gradient(const auto& w, const example_type&, const auto& emit) const {
    emit(0, w[0]);
  }
};
#if defined(GOOD) || defined(BAD)
static_assert(hogwild::conforms<typeless>());
#endif
