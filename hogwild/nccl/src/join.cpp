// SPDX-License-Identifier: Apache-2.0
#include <hogwild/nccl/collective.hpp>

#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/error.hpp>

#include "member.hpp"

namespace hogwild {
namespace {

std::unique_ptr<collective> join_on_device(std::unique_ptr<collective> carrier, int device,
                                           const collective_options& options,
                                           const std::shared_ptr<nccl::closing>& together) {
  const std::size_t rank = carrier->rank(), size = carrier->size();
  std::unique_ptr<device::runtime> on;
  try {
    on = device::open_cuda(device);
    static const nccl::functions loaded = nccl::load("libnccl.so.2");
    return nccl::join(std::move(carrier), std::move(on), loaded, options, together);
  } catch (const resource_error& e) {
    if (carrier == nullptr) throw;  // the others have been told
    std::string text = e.what();
    if (on == nullptr)
      text = detail::ranks_text({&rank, 1}, size) + " of --collective nccl has no CUDA device of its own: " + text +
             "; use no more ranks than devices, or leave out --collective";
    carrier->fail(text);
    throw resource_error(text);
  }
}

}  // namespace

std::unique_ptr<collective> join_nccl_group(std::unique_ptr<collective> carrier, int device,
                                            const collective_options& options) {
  return join_on_device(std::move(carrier), device, options, std::make_shared<nccl::closing>());
}

std::vector<std::unique_ptr<collective>> join_nccl_members(std::vector<std::unique_ptr<collective>> carriers,
                                                           int first_device, const collective_options& options) {
  const std::size_t n = carriers.size();
  std::vector<std::unique_ptr<collective>> joined(n);
  std::vector<std::exception_ptr> failures(n);
  const auto together = std::make_shared<nccl::closing>();
  const auto join = [&](std::size_t i) {
    try {
      joined[i] = join_on_device(std::move(carriers[i]), first_device + static_cast<int>(i), options, together);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < n; ++i) others.emplace_back(join, i);
    join(0);  // on this thread, since the first member's carrier may be bound to it
  }
  std::exception_ptr first;
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const resource_error&) {
      throw;
    } catch (...) {
      if (!first) first = failure;
    }
  }
  if (first) std::rethrow_exception(first);
  return joined;
}

}  // namespace hogwild
