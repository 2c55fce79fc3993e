// SPDX-License-Identifier: Apache-2.0
// Parameters are floating-point numbers: steps are fractions, and an integer would round them away.
#include <hogwild/detail/memory/param_view.hpp>

#ifdef GOOD
using number = float;
#endif
#ifdef BAD
using number = int;
#endif
number values[4];
hogwild::param_view<number> view{std::span<number>(values)};
