// SPDX-License-Identifier: Apache-2.0
#include "ceiling_kernels.hpp"

#include <hogwild/detail/cuda/rows_kernel.hpp>

#include "ceiling_body.hpp"

namespace hogwild::bench {

int launch_ceiling(ceiling_kernel kernel, const ceiling_work& work, void* stream) {
  int error = 0;
  with_ceiling_part(kernel, work,
                    [&](auto body) { error = device::launch_rows<decltype(body)>(work, no_model{}, stream); });
  return error;
}

}  // namespace hogwild::bench
