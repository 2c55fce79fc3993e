// SPDX-License-Identifier: Apache-2.0
// A general model. CMakeLists.txt replaces one member by a form that conforms() accepts, and by one that it refuses.
#include <hogwild/model.hpp>

#include <vector>

#ifndef SCALAR
#define SCALAR using scalar_type = float
#endif
#ifndef EXAMPLE
#define EXAMPLE using example_type = hogwild::sparse_row<float>
#endif
#ifndef DIM
#define DIM                 \
  std::size_t dim() const { \
    return 1;               \
  }
#endif
#ifndef LOSS
#define LOSS                                     \
  double loss(const auto& w, const row&) const { \
    return static_cast<double>(w[0]);            \
  }
#endif
#ifndef GRADIENT
#define GRADIENT                                                     \
  void gradient(const auto& w, const row&, const auto& emit) const { \
    emit(0, w[0]);                                                   \
  }
#endif
#ifndef OPTION
#define OPTION
#endif

using row = hogwild::sparse_row<float>;

struct tried {
  SCALAR;
  EXAMPLE;
  DIM LOSS GRADIENT OPTION
};
static_assert(hogwild::conforms<tried>());
