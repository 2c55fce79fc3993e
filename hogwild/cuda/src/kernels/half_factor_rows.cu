// SPDX-License-Identifier: Apache-2.0
// The code for GPUs if factors are stored as halves, and how it is started. The test of fibers compiles this file as
// plain C++.
#include "factor_rows.hpp"

#include <hogwild/detail/cuda/rows_kernel.hpp>

#include "factor_body.hpp"

namespace hogwild::device {

int launch_half_factor_rows(const factor_work& work, void* stream) {
  int error = 0;
  with_half_factor_kind(work, [&](auto kind) {
    using part = factor_part<decltype(kind)>;
    error = launch_rows<part>(work, typename part::no_model{}, stream);
  });
  return error;
}

}  // namespace hogwild::device
