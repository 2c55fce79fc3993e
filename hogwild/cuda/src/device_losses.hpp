// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "kernel_family.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// The mean loss of the first `rows` rows, at least 1, under the device's parameters at the time of the call, which
/// nobody changes meanwhile. The host adds up sums of a few rows each, in the order of rows and in double precision:
/// the result does not depend on which device it is, nor on its speed. Launches are short, and a stop request between
/// two of them ends the call: then the result is not a number. Nothing if there are no kernels that measure these rows
/// there, or the device has no room for the sums. Throws a device's errors.
std::optional<double> mean_loss(runtime& device, device_model& model, std::size_t rows, double scale,
                                const std::stop_token& stop);

}  // namespace hogwild::device
