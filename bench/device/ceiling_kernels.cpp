// SPDX-License-Identifier: Apache-2.0
#include "ceiling_kernels.hpp"

#include "ceiling_body.hpp"

namespace hogwild::bench {

void run_ceiling(ceiling_kernel kernel, const ceiling_work& work, std::size_t part, std::size_t parts) {
  with_ceiling_part(kernel, work,
                    [&](auto body) { decltype(body)::train(device::host_warp{}, work, no_model{}, part, parts); });
}

device::kernel_launch ceiling_launch(ceiling_kernel kernel, const ceiling_work& work) {
  device::kernel_launch launch{
      .warps = work.rows_in_flight,
      .on_host = [kernel, work](std::size_t part, std::size_t parts) { run_ceiling(kernel, work, part, parts); }};
#if defined(HOGWILD_HAS_CUDA)
  launch.on_device = [kernel, work](void* stream) { return launch_ceiling(kernel, work, stream); };
#endif
  return launch;
}

}  // namespace hogwild::bench
