// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// The member with the carrier's rank in a group over NCCL, which moves numbers from device to device: one CUDA device
/// a rank. All members call this at the same time. The group takes over `carrier`: it sends NCCL's unique id to all,
/// and before each call all members announce their call through it, so that a lost member or a different call is
/// noticed as by any collective.
///
/// Sums are taken in the order of the ranks, which ncclAllReduce does not guarantee: parts are sent to one rank each,
/// summed there and gathered. The host sums, as the spans are the host's. Each NCCL operation gets half the timeout, so
/// that a member that waits for another one can still report what that one waits for. A member that is lost while NCCL
/// moves numbers is noticed at the latest after that and the carrier's timeout.
///
/// The first call loads NCCL. Throws resource_error if NCCL is not found or does not start, or if the device cannot be
/// used; the other members throw worker_error with the reason.
std::unique_ptr<collective> join_nccl_group(std::unique_ptr<collective> carrier, int device,
                                            const collective_options& options = {});

/// The same for all members of this process, in their order, each with a device of its own: first_device and those
/// after it. Suits sync_engine::join_members. If several members throw, a resource_error takes precedence.
std::vector<std::unique_ptr<collective>> join_nccl_members(std::vector<std::unique_ptr<collective>> carriers,
                                                           int first_device, const collective_options& options = {});

}  // namespace hogwild
