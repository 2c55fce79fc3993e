// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hogwild/detail/collectives/collective.hpp>

#include "closing.hpp"
#include "functions.hpp"
#include "runtime.hpp"

namespace hogwild::nccl {

/// join_nccl_group() on a device that is open already, with functions that outlive the member. Members of one process
/// share `together`, which has closed their communicators and devices by the time the last of them is destroyed.
std::unique_ptr<collective> join(std::unique_ptr<collective> carrier, std::unique_ptr<device::runtime> on,
                                 const functions& with, const collective_options& options,
                                 std::shared_ptr<closing> together = std::make_shared<closing>());

}  // namespace hogwild::nccl
