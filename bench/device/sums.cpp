// SPDX-License-Identifier: Apache-2.0
#include "sums.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/error.hpp>

#include "communicator.hpp"
#include "member.hpp"

namespace hogwild::bench {
namespace {

using steady = std::chrono::steady_clock;

/// Runs body(rank) on a thread for each rank, and rethrows the first rank's exception.
template <class Body>
void by_ranks(std::size_t ranks, const Body& body) {
  std::vector<std::exception_ptr> failures(ranks);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(rank);
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Seconds of one sum(x), by rank 0's clock. All ranks call it at the same time; `others` tells them how often to sum.
template <class Sum>
double seconds_of(collective& others, std::size_t floats, double least, const Sum& sum) {
  std::vector<float> x(floats, 1.0f);
  sum(x);
  const auto all = static_cast<float>(others.size());
  if (!std::ranges::all_of(x, [&](float found) { return found == all; }))
    throw error(exit_code::internal, "a sum over " + std::to_string(others.size()) + " ranks is not right");
  std::ranges::fill(x, 0.0f);
  const auto passes = [&](std::size_t times) {
    others.barrier();
    const auto begun = steady::now();
    for (std::size_t k = 0; k < times; ++k) sum(x);
    return std::chrono::duration<double>(steady::now() - begun).count() / static_cast<double>(times);
  };
  std::vector<double> once{passes(1)};
  others.broadcast(once, 0);
  return passes(static_cast<std::size_t>(std::clamp(least / once[0], 1.0, 1e6)));
}

}  // namespace

sum_seconds measure_sums(const nccl::functions& with, const open_function& open, std::size_t ranks, std::size_t floats,
                         double least, std::chrono::nanoseconds timeout) {
  const collective_options group_options{.timeout = timeout};
  sum_seconds found{.ranks = ranks, .floats = floats};
  thread_group carriers(ranks, group_options), clocks(ranks, group_options);
  const auto together = std::make_shared<nccl::closing>();
  by_ranks(ranks, [&](std::size_t rank) {
    const auto others = clocks.join(rank);
    const auto member = nccl::join(carriers.join(rank), open(rank), with, group_options, together);
    const double taken =
        seconds_of(*others, floats, least, [&](std::vector<float>& x) { member->all_reduce(std::span(x)); });
    if (rank == 0) found.in_rank_order = taken;
  });
  nccl::unique_id id{};
  if (const int result = with.get_unique_id(&id); result != nccl::success)
    throw resource_error(std::string("NCCL makes no id for a group: ") + with.error_text(result));
  thread_group others_of(ranks, group_options);
  by_ranks(ranks, [&](std::size_t rank) {
    const auto others = others_of.join(rank);
    const auto device = open(rank);
    const device::buffer<float> there(*device, floats);
    nccl::communicator all(with, *device, id, rank, ranks, timeout);
    const double taken = seconds_of(*others, floats, least, [&](std::vector<float>& x) {
      device->upload(there.data(), x.data(), floats * sizeof(float));
      all.add_up(there.data(), floats);
      device->download(x.data(), there.data(), floats * sizeof(float));
      device->wait(device->mark());
    });
    if (rank == 0) found.by_nccl = taken;
  });
  return found;
}

}  // namespace hogwild::bench
