// SPDX-License-Identifier: Apache-2.0
// Compiled to assembly and read, never run. C linkage keeps the names readable there.
#include <cstddef>

#include <hogwild/detail/memory/param_view.hpp>

extern "C" void lossy_add(float* data, std::size_t size, std::size_t j, float delta) {
  hogwild::param_view<float, hogwild::update::lossy>(data, size).add(j, delta);
}

extern "C" void exact_add(float* data, std::size_t size, std::size_t j, float delta) {
  hogwild::param_view<float, hogwild::update::exact>(data, size).add(j, delta);
}

extern "C" void settle_adds(float* data, std::size_t size) {
  hogwild::param_view<float, hogwild::update::lossy>(data, size).settle_adds();
}
