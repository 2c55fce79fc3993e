// SPDX-License-Identifier: Apache-2.0
// A general model states how many parameters it has; without that, the message of conforms() says what to add.
#include <hogwild/model.hpp>

struct sizeless {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
#ifdef GOOD
  std::size_t dim() const {
    return 1;
  }
#endif
  double loss(const auto& w, const example_type&) const {
    return w[0];
  }
  void gradient(const auto& w, const example_type&, const auto& emit) const {
    emit(0, w[0]);
  }
};
#if defined(GOOD) || defined(BAD)
static_assert(hogwild::conforms<sizeless>());
#endif
