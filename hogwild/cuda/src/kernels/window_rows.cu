// SPDX-License-Identifier: Apache-2.0
// The code for GPUs, and how it is started. The test of fibers compiles this file as plain C++.
#include "window_rows.hpp"

#include <hogwild/detail/cuda/rows_kernel.hpp>

#include "loss_body.hpp"
#include "loss_rows.hpp"
#include "window_body.hpp"

namespace hogwild::device {

int launch_window_rows(const window_work& work, void* stream) {
  int error = 0;
  with_window_kind(work, [&](auto kind) {
    using part = window_part<decltype(kind)>;
    error = launch_rows<part>(work, typename part::no_model{}, stream);
  });
  return error;
}

int launch_window_losses(const loss_work<window_work>& work, void* stream) {
  return launch_rows<loss_part<window_measure>>(work, window_measure::no_model{}, stream);
}

}  // namespace hogwild::device
