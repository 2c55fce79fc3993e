// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/detail/transports/in_process.hpp>
#include <hogwild/observer.hpp>

namespace hogwild::test {

/// The connections of a thread that acts as a rank.
struct rank_place {
  std::size_t rank;
  collective& ranks;
  message_link& link;
};

/// Asks a run to stop after its second epoch, and remembers the loss by then.
struct stop_after_two final : observer {
  observer_answer on_epoch(const epoch_report& e) override {
    if (e.epoch == 2) loss = e.train_loss, stop.request_stop();
    return observer_answer::go_on;
  }
  std::stop_source stop;
  double loss = 0.0;
};

/// Calls body(place) in a thread for each of `ranks` ranks. Returns the exception of each, or null. A rank whose body
/// ends leaves the group.
inline std::vector<std::exception_ptr> as_ranks(std::size_t ranks, const std::function<void(const rank_place&)>& body,
                                                std::chrono::nanoseconds timeout = std::chrono::seconds(20)) {
  thread_group group(ranks, {.timeout = timeout});
  thread_ring ring(ranks);
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::unique_ptr<collective>> members;
  std::vector<std::unique_ptr<message_link>> links;
  for (std::size_t r = 0; r < ranks; ++r) {
    members.push_back(group.join(r));
    links.push_back(ring.join(r));
  }
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        body(rank_place{r, *members[r], *links[r]});
      } catch (...) {
        thrown[r] = std::current_exception();
        links[r].reset();
        members[r]->fail("another rank has failed");
      }
    });
  }
  for (std::thread& t : threads) t.join();
  return thrown;
}

/// The same if no rank may throw: rethrows the first exception.
inline void as_sound_ranks(std::size_t ranks, const std::function<void(const rank_place&)>& body) {
  for (const std::exception_ptr& e : as_ranks(ranks, body)) {
    if (e) std::rethrow_exception(e);
  }
}

}  // namespace hogwild::test
