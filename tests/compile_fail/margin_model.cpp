// SPDX-License-Identifier: Apache-2.0
// A linear model. CMakeLists.txt replaces one member by a form that conforms() accepts, and by one that it refuses.
#include <hogwild/model.hpp>

#include <array>

#ifndef LOSS
#define LOSS                               \
  double loss(float margin, float) const { \
    return static_cast<double>(margin);    \
  }
#endif
#ifndef DERIVATIVE
#define DERIVATIVE                       \
  float derivative(float, float) const { \
    return 1.0f;                         \
  }
#endif
#ifndef OPTION
#define OPTION
#endif

struct tried {
  LOSS DERIVATIVE OPTION
};
static_assert(hogwild::conforms<tried>());
