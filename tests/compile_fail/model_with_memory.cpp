// SPDX-License-Identifier: Apache-2.0
// Threads can train a model that has memory of its own; worker processes cannot get a copy of it.
#include <hogwild/model.hpp>

#include <vector>

struct tried {
  using scalar_type = float;
  using example_type = hogwild::sparse_row<float>;
#ifdef GOOD
  float scale = 1.0f;
#else
  std::vector<float> scale{};
#endif
  std::size_t dim() const {
    return 1;
  }
  double loss(const auto& w, const example_type&) const {
    return static_cast<double>(w[0]);
  }
  void gradient(const auto& w, const example_type&, const auto& emit) const {
    emit(0, w[0]);
  }
};
static_assert(hogwild::conforms<tried>());
static_assert(hogwild::conforms_for_processes<tried>());
