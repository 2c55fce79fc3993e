// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild {

/// The same member in a group over NCCL, which moves numbers from device to device: one CUDA device a rank. All members
/// call this at the same time. `carrier` is taken over: it brings NCCL's unique id to all, and before each call it
/// tells all members what each is about to do, so that who is lost or makes another call is noticed as by any
/// collective.
///
/// Sums are taken in the order of the ranks, which ncclAllReduce does not promise: parts are sent to one rank each,
/// summed there and gathered. That is done by the host, as the spans are the host's. NCCL gets half the timeout for
/// what it does at once, so that members who wait for another one are told what that one waits for. A member that is
/// lost while NCCL moves numbers is noticed at the latest after that and the carrier's timeout.
///
/// NCCL is loaded by the first call. Throws resource_error where it is not found or does not start, or where the device
/// cannot be used; the other members throw worker_error with the reason.
std::unique_ptr<collective> join_nccl_group(std::unique_ptr<collective> carrier, int device,
                                            const collective_options& options = {});

/// The same for all members of this process, in their order, each with a device of its own: first_device and those
/// after it. Suits sync_engine::join_members. Of all that is thrown, a resource_error is thrown here where there is
/// one.
std::vector<std::unique_ptr<collective>> join_nccl_members(std::vector<std::unique_ptr<collective>> carriers,
                                                           int first_device, const collective_options& options = {});

}  // namespace hogwild
