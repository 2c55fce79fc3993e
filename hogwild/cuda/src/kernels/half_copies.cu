// SPDX-License-Identifier: Apache-2.0
// The code for GPUs, and how it is started. The test of fibers compiles this file as plain C++.
#include "half_copies.hpp"

#include <hogwild/detail/cuda/rows_kernel.hpp>

namespace hogwild::device {

int launch_round_to_halves(const half_copy_work& work, void* stream) {
  return launch_rows<round_part>(work, round_part::no_model{}, stream);
}

int launch_add_gains_of_halves(const half_copy_work& work, void* stream) {
  return launch_rows<gain_part>(work, gain_part::no_model{}, stream);
}

}  // namespace hogwild::device
