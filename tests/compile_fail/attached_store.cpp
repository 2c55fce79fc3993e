// SPDX-License-Identifier: Apache-2.0
// Whoever attaches to a running segment sees weights as workers store them, which is for workers alone.
#include <hogwild/detail/memory/param_store.hpp>

#ifdef GOOD
hogwild::param_store whole() {
  return hogwild::param_store::in_memory({.parameters = 1});
}
#endif
#ifdef BAD
hogwild::param_store whole() {
  return hogwild::param_store::attach("hogwild-1-1", "logistic");
}
#endif
