// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <hogwild/detail/data/labels.hpp>

#include "runtime.hpp"
#include "workloads.hpp"

namespace hogwild::bench {

/// Rows a second by the workload's kernel, with so many in flight, in launches alone: no copies, no exchanges. It
/// begins with these parameters and takes steps that change little. Each measurement takes `least` seconds or more.
double kernel_rows_per_second(device::runtime& device, const workload& work, std::span<const float> parameters,
                              const label_map& labels, const training_way& way, std::uint32_t rows_in_flight,
                              double least);

}  // namespace hogwild::bench
