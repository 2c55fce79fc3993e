// SPDX-License-Identifier: Apache-2.0
// A model sees the parameters through a reader: its gradient cannot add to them.
#include <hogwild/model.hpp>

struct writer {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
  std::size_t dim() const { return 1; }
  double loss(const auto& w, const example_type&) const { return w[0]; }
  void gradient(const auto& w, const example_type&, const auto& emit) const {
#ifdef GOOD
    emit(0, w[0]);
#endif
#ifdef BAD
    w.add(0, w[0]);
    (void)emit;
#endif
  }
};
static_assert(hogwild::conforms<writer>());
