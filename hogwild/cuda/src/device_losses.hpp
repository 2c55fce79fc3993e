// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "kernel_family.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// The mean loss of the first `rows` rows, at least 1, under the parameters that the device has when this is called,
/// which nobody changes meanwhile. The sums of a few rows each are added up on the host, in the order of rows and in
/// double precision: the result does not depend on what the device is, nor on how fast. Launches are short, and between
/// two of them a request to stop ends it: then it is no number. Nothing where kernels do not measure these rows there,
/// or the device has no room for the sums. Throws what the device throws that fails.
std::optional<double> mean_loss(runtime& device, device_model& model, std::size_t rows, double scale,
                                const std::stop_token& stop);

}  // namespace hogwild::device
