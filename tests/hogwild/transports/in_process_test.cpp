// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/transports/in_process.hpp>

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/error.hpp>

#include "support/comes_to.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

std::vector<std::byte> message(std::size_t n) {
  return std::vector<std::byte>(n, static_cast<std::byte>(n));
}

TEST(thread_ring, hands_messages_to_the_next_rank_in_order) {
  thread_ring ring(3);
  const auto a = ring.join(0), b = ring.join(1), c = ring.join(2);
  EXPECT_EQ(c->rank(), 2u);
  EXPECT_EQ(c->size(), 3u);
  c->send(message(1));
  c->send(message(0));
  a->send(message(3));
  EXPECT_EQ(a->receive(10s), message(1));
  EXPECT_EQ(a->receive(10s), message(0));
  EXPECT_EQ(b->receive(10s), message(3));
  EXPECT_EQ(c->receive(1ms), std::nullopt);
}

TEST(thread_ring, of_one_goes_to_itself) {
  thread_ring ring(1);
  const auto alone = ring.join(0);
  alone->send(message(5));
  EXPECT_EQ(alone->receive(10s), message(5));
}

TEST(thread_ring, wakes_who_waits) {
  thread_ring ring(2);
  const auto a = ring.join(0), b = ring.join(1);
  std::thread sender([&, waits = ::gettid()] {
    EXPECT_TRUE(test::comes_to('S', ::getpid(), waits));
    a->send(message(9));
  });
  EXPECT_EQ(b->receive(20s), message(9));
  sender.join();
}

TEST(thread_ring, says_who_has_left_once_its_messages_are_read) {
  thread_ring ring(2);
  auto a = ring.join(0);
  const auto b = ring.join(1);
  a->send(message(2));
  a.reset();
  EXPECT_EQ(b->receive(1ms), message(2));
  EXPECT_THROW(b->receive(20s), worker_error);
  EXPECT_THROW(b->send(message(1)), worker_error);
}

TEST(thread_ring, refuses_ranks_that_there_are_not_and_seconds) {
  EXPECT_THROW(thread_ring(0), config_error);
  thread_ring ring(2);
  const auto a = ring.join(0);
  EXPECT_THROW(ring.join(0), config_error);
  EXPECT_THROW(ring.join(2), config_error);
}

}  // namespace
