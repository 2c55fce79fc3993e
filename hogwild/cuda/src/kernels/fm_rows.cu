// SPDX-License-Identifier: Apache-2.0
// The code for GPUs, and how it is started. The test of fibers compiles this file as plain C++.
#include "fm_rows.hpp"

#include <hogwild/detail/cuda/rows_kernel.hpp>

#include "fm_body.hpp"

namespace hogwild::device {

int launch_fm_rows(const general_work& work, const fm_shape& model, void* stream) {
  require_width(model);
  int error = 0;
  with_margin_kind(work, [&](auto kind) { error = launch_rows<fm_part<decltype(kind)>>(work, model, stream); });
  return error;
}

}  // namespace hogwild::device
