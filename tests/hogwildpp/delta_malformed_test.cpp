// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>
#include <hogwildpp/detail/delta_message.hpp>

#include "support/sanitizers.hpp"

// Bytes that no encoder wrote.

using namespace hogwild;
using bytes = std::vector<std::byte>;

namespace {

constexpr std::uint64_t coordinates = 20'000;
constexpr std::size_t records_at = 56 + 2 * 8;

delta_header header_with(delta_values values) {
  return {.values = values, .generation = 5, .coordinates = coordinates, .prefix = 512, .rows = {10, 20}};
}

/// Every layout: a run, pairs, a single value, a bitmap; short skips and a long one.
bytes small_message(delta_values values) {
  std::vector<float> delta(coordinates, 0.0f);
  for (std::size_t j = 3; j < 9; ++j) delta[j] = 0.1f * static_cast<float>(j);
  for (const std::size_t j : {256u, 300u, 511u}) delta[j] = -1.5f;
  for (std::size_t j = 512; j < 768; j += 5) delta[j] = 1e-7f;
  delta[15'000] = 3e5f;
  bytes message;
  delta_encoder<float> out(message, header_with(values));
  out.encode(0, delta);
  out.finish();
  return message;
}

/// Corrects length and checksum.
bytes stamped(bytes message) {
  if (message.size() < 32) return message;
  const std::uint64_t length = message.size();
  std::memcpy(&message[16], &length, sizeof length);
  const std::uint64_t digest = detail::checksum(std::span<const std::byte>(message).first(message.size() - 8));
  std::memcpy(&message[message.size() - 8], &digest, sizeof digest);
  return message;
}

/// The number of values, which must ascend and be in range. Throws if the message is refused.
std::size_t walk(const bytes& message) {
  // A copy of just its size, so that a sanitizer sees every step outside.
  const bytes exact(message.begin(), message.end());
  std::size_t count = 0;
  std::uint64_t next = 0;
  delta_decoder<float>(exact, coordinates, "rank 7").for_each([&](std::uint64_t j, float value) {
    EXPECT_GE(j, next);
    EXPECT_LT(j, coordinates);
    EXPECT_NE(value, 0.0f);
    next = j + 1;
    ++count;
  });
  return count;
}

/// A message of the records given, behind a sound header.
bytes with_records(std::vector<unsigned> records, delta_values values = delta_values::as_half) {
  bytes message;
  delta_encoder<float>(message, header_with(values)).finish();
  message.resize(records_at);
  for (const unsigned b : records) message.push_back(static_cast<std::byte>(b));
  message.resize(message.size() + 8);
  return stamped(message);
}

std::string refusal(const bytes& message) {
  try {
    walk(message);
  } catch (const worker_error& e) {
    return e.what();
  }
  return "taken";
}

using testing::AllOf;
using testing::HasSubstr;

class malformed_delta : public testing::TestWithParam<delta_values> {};
INSTANTIATE_TEST_SUITE_P(values, malformed_delta, testing::Values(delta_values::as_stored, delta_values::as_half));

TEST_P(malformed_delta, is_refused_wherever_it_is_cut) {
  const bytes good = small_message(GetParam());
  EXPECT_EQ(walk(good), 6u + 3 + 52 + 1);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(walk(cut), worker_error) << size;
  }
  bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_THROW(walk(longer), worker_error);
}

/// Of the 255 changes of a byte all; under sanitizers those of one bit, and every seventh.
constexpr bool tries(unsigned change) {
  return !test::sanitized || change % 7 == 0 || std::has_single_bit(change);
}

TEST_P(malformed_delta, is_refused_whichever_byte_changes) {
  const bytes good = small_message(GetParam());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (unsigned change = 1; change < 256; ++change) {
      if (!tries(change)) continue;
      bytes bad = good;
      bad[at] ^= static_cast<std::byte>(change);
      ASSERT_THROW(walk(bad), worker_error) << at;
    }
  }
}

TEST_P(malformed_delta, does_no_harm_behind_a_true_checksum) {
  const bytes good = small_message(GetParam());
  std::size_t refused = 0, taken = 0;
  const auto read = [&](const bytes& bad) {
    try {
      walk(stamped(bad));
      ++taken;
    } catch (const worker_error&) {
      ++refused;
    }
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (unsigned change = 1; change < 256; ++change) {
      if (!tries(change)) continue;
      bytes bad = good;
      bad[at] ^= static_cast<std::byte>(change);
      read(bad);
    }
    bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(at));
    read(cut);
    bytes gap = good;
    gap.erase(gap.begin() + static_cast<std::ptrdiff_t>(at));
    read(gap);
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(taken, 100u);  // with changed values
}

TEST(malformed_delta_message, is_told_in_a_sentence) {
  const bytes good = small_message(delta_values::as_stored);
  const auto with = [&](std::size_t at, unsigned value) {
    bytes bad = good;
    bad[at] = static_cast<std::byte>(value);
    return bad;
  };
  EXPECT_THAT(refusal({}), AllOf(HasSubstr("rank 7: byte 0"), HasSubstr("ends within the header")));
  EXPECT_THAT(refusal(with(0, 0)), HasSubstr("no message of a ring"));
  EXPECT_THAT(refusal(with(8, 2)), HasSubstr("of version 2, but only version 1"));
  EXPECT_THAT(refusal(with(16, 0)), HasSubstr("bytes, but has"));
  EXPECT_THAT(refusal(with(100, 0)), HasSubstr("checksum"));
  EXPECT_THAT(refusal(stamped(with(10, 8))), HasSubstr("scalars of 8 bytes, but those here have 4"));
  EXPECT_THAT(refusal(stamped(with(11, 2))), HasSubstr("unknown kind"));
  EXPECT_THAT(refusal(stamped(with(13, 4))), HasSubstr("more ranks"));
  EXPECT_THAT(refusal(stamped(with(15, 255))), HasSubstr("more ranks"));
  EXPECT_THAT(refusal(stamped(with(41, 0))), HasSubstr("coordinates, but the one here has 20000"));
  EXPECT_THAT(refusal(stamped(with(47, 2))), HasSubstr("more than 2^56"));
  EXPECT_THROW(delta_decoder<double>(good, coordinates), worker_error);
  bytes unfinished;
  delta_encoder<float> out(unfinished, header_with(delta_values::as_stored));
  EXPECT_THAT(refusal(unfinished), HasSubstr("it should have 0 bytes"));
}

TEST(malformed_delta_message, records_are_refused_one_by_one) {
  // The first byte: layout, 4 for halves, 8 times the blocks skipped. 20,000 coordinates are 79 blocks, the last of 32.
  EXPECT_EQ(refusal(with_records({0, 5, 0, 0, 0x80, 0x3f})), "taken");
  EXPECT_EQ(refusal(with_records({4, 0x80, 5, 0, 1})), "taken");
  EXPECT_EQ(refusal(with_records({31 * 8, 78 - 31, 31, 0, 0, 0x80, 0x3f})), "taken");
  EXPECT_EQ(refusal(with_records({0, 5, 0, 0, 0x80, 0x3f, 0, 6, 0, 0, 0x80, 0x3f})), "taken");
  EXPECT_EQ(refusal(with_records({3, 254, 1, 0, 0, 0, 0, 0, 0, 0, 0})), "taken");  // zeros in a run do not count

  EXPECT_THAT(refusal(with_records({31 * 8, 79 - 31, 0, 0, 0, 0x80, 0x3f})), HasSubstr("block lies behind"));
  EXPECT_THAT(refusal(with_records({31 * 8, 78 - 31, 32, 0, 0, 0x80, 0x3f})), HasSubstr("value lies behind"));
  EXPECT_THAT(refusal(with_records({0, 5, 0, 0, 0x80, 0x3f, 0, 5, 0, 0, 0x80, 0x3f})), HasSubstr("not ascend"));
  EXPECT_THAT(refusal(with_records({1, 1, 7, 7, 0, 0, 0, 1, 0, 0, 0, 1})), HasSubstr("indices do not ascend"));
  EXPECT_THAT(refusal(with_records({1, 1, 7, 6, 0, 0, 0, 1, 0, 0, 0, 1})), HasSubstr("indices do not ascend"));
  EXPECT_THAT(refusal(with_records({3, 255, 1, 0, 0, 0, 1, 0, 0, 0, 1})), HasSubstr("run leaves its block"));
  EXPECT_THAT(refusal(with_records({4, 127, 5, 0, 1})), HasSubstr("exponent is too large"));
  EXPECT_THAT(refusal(with_records({4, 0, 5, 0, 1}, delta_values::as_stored)), HasSubstr("there are halves"));
  std::vector<unsigned> bitmap(33, 0);
  bitmap[0] = 2;
  EXPECT_THAT(refusal(with_records(bitmap)), HasSubstr("bitmap is empty"));
  EXPECT_THAT(refusal(with_records(std::vector<unsigned>(20, 255))), HasSubstr("does not end"));
  const std::vector<unsigned> most{31 * 8, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0, 1, 1, 1, 1};
  EXPECT_THAT(refusal(with_records(most)), HasSubstr("block lies behind"));
  bitmap[1] = 1;
  const std::vector<std::vector<unsigned>> a_byte_short{
      {0, 5, 0, 0, 0x80}, {4, 0, 5, 0}, {1, 1, 7, 8, 0, 0, 0, 1, 0, 0, 0}, {3, 0, 1, 0, 0, 0, 1, 0, 0, 0}, bitmap};
  for (const auto& records : a_byte_short) {
    const bytes message = with_records(records);
    delta_decoder<float> in(message, coordinates);
    EXPECT_THROW(in.next(), worker_error) << records[0];  // and not after a value made of the checksum
  }
  for (const unsigned layout : {0u, 1u, 2u, 3u, 4u, 31u * 8})
    EXPECT_THAT(refusal(with_records({layout})), HasSubstr("ends within a record")) << layout;
}

}  // namespace
