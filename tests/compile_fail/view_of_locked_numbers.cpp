// SPDX-License-Identifier: Apache-2.0
// Numbers whose atomic access needs a lock of the library (long double on most machines) work in one process only.
#include <hogwild/detail/memory/param_view.hpp>

#ifdef GOOD
using number = double;
#endif
#ifdef BAD
using number = long double;
#endif
number values[4];
hogwild::param_view<number> view{std::span<number>(values)};
