// SPDX-License-Identifier: Apache-2.0
// The code for GPUs, and how it is started. The test of fibers compiles this file as plain C++.
#include <hogwild/detail/cuda/margin_rows.hpp>

#include <optional>
#include <stdexcept>
#include <string>

#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/cuda/rows_kernel.hpp>

#include "margin_models.hpp"

namespace hogwild::device {

int launch_margin_rows(const margin_work& work, std::string_view model, std::span<const std::byte> object,
                       void* stream) {
  const std::optional<known_margin_model> found = known_margin_model::find(model, object);
  if (!found) throw std::invalid_argument("no kernel for the model " + std::string(model));
  int error = 0;
  with_margin_kind(work, [&](auto kind) { error = launch_rows<margin_part<decltype(kind)>>(work, *found, stream); });
  return error;
}

}  // namespace hogwild::device
