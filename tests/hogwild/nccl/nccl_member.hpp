// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/error.hpp>

#include "member.hpp"
#include "support/fake_nccl.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace hogwild::test {

/// A member over the stand-in for NCCL and an emulated device, carried by a thread of the group.
inline std::unique_ptr<collective> join_fake(
    std::unique_ptr<collective> carrier, const collective_options& options,
    std::shared_ptr<nccl::closing> together = std::make_shared<nccl::closing>()) {
  return nccl::join(std::move(carrier), device::open_emulated(1), fake_nccl(), options, std::move(together));
}

/// Runs body(member) on all threads. Returns the message of each one's error, or "" if none was thrown.
template <class Body>
std::vector<std::string> nccl_sentences(std::size_t size, const collective_options& options, const Body& body) {
  thread_group group(size, options);
  std::vector<std::string> said(size);
  run_together(size, [&](std::size_t rank) {
    said[rank] = refusal_of<error>([&] { body(*join_fake(group.join(rank), options)); }, "");
  });
  return said;
}

}  // namespace hogwild::test
