// SPDX-License-Identifier: Apache-2.0
// A process that attaches to a running segment would see weights as workers store them, which only workers may use.
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
