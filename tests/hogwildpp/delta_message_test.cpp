// SPDX-License-Identifier: Apache-2.0
#include <hogwildpp/detail/delta_message.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

using namespace hogwild;
using bytes = std::vector<std::byte>;

namespace {

template <class T>
auto bits(T value) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(value);
}

/// The contents of a message, by coordinate, to the bit.
template <class T>
using contents = std::map<std::uint64_t, decltype(bits(T()))>;

template <class T>
contents<T> contents_of(std::span<const T> values, std::uint64_t first = 0) {
  contents<T> all;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] == 0)) all[first + i] = bits(values[i]);
  return all;
}

template <class T>
contents<T> decoded(const bytes& message, std::uint64_t coordinates) {
  contents<T> all;
  delta_decoder<T> in(message, coordinates);
  in.for_each([&](std::uint64_t j, T value) {
    // Ascending, so each at most once.
    if (j >= coordinates || value == 0 || (!all.empty() && j <= all.rbegin()->first)) throw std::logic_error("order");
    all[j] = bits(value);
  });
  return all;
}

/// A message with all of `delta`, which becomes what was sent; in calls that end at the places `cuts`.
template <class T>
bytes encoded(std::vector<T>& delta, delta_values values, std::vector<std::size_t> cuts = {}) {
  bytes message;
  delta_encoder<T> out(message, {.values = values, .coordinates = delta.size()});
  cuts.push_back(delta.size());
  std::size_t sent = 0, begin = 0;
  for (const std::size_t end : cuts) {
    sent += out.encode(begin, std::span(delta).subspan(begin, end - begin));
    begin = end;
  }
  out.finish();
  EXPECT_EQ(sent, contents_of<T>(delta).size());
  return message;
}

/// Numbers of every kind that there is: any bits at all, whole numbers, and zeros.
template <class T>
T any_value(const counter_random& random, std::uint64_t i) {
  const std::uint64_t word = random.bits(2 * i + 1);
  switch (random.below(2 * i, 4)) {
    case 0:
      return std::bit_cast<T>(static_cast<decltype(bits(T()))>(word));
    case 1:
      return static_cast<T>(static_cast<std::int64_t>(word >> 40) - (1 << 23));
    case 2:
      return std::ldexp(static_cast<T>(random.uniform(2 * i + 1) - 0.5), static_cast<int>(word % 40) - 35);
    default:
      return word % 2 == 0 ? T(0) : -T(0);
  }
}

/// Stretches of zeros, of single values and of many, so that every layout and every kind of skip occurs.
template <class T, class Value>
std::vector<T> any_delta(const Value& value) {
  const counter_random random(*rc::gen::arbitrary<std::uint64_t>(), 0);
  std::vector<T> delta;
  std::uint64_t i = 0;
  for (const auto& [length, fraction] : *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint8_t>>>(
           rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 2000), rc::gen::inRange<std::uint8_t>(0, 9)))) {
    const std::uint64_t one_in = fraction == 8 ? 1 : std::uint64_t{1} << (2 * fraction);
    delta.resize(delta.size() + (fraction == 7 ? 8 * length : 0));
    for (std::uint32_t k = 0; k < length; ++k, ++i)
      delta.push_back(random.below(3 * i, one_in) == 0 ? static_cast<T>(value(random, i)) : T(0));
  }
  return delta;
}

template <class T>
std::vector<std::size_t> any_cuts(const std::vector<T>& delta) {
  auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, delta.size() + 1));
  std::ranges::sort(cuts);
  return cuts;
}

template <class T>
class delta_message_of : public testing::Test {};
using scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(delta_message_of, scalars);

TYPED_TEST(delta_message_of, stored_values_arrives_to_the_last_bit) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    auto delta = any_delta<T>(any_value<T>);
    const auto before = contents_of<T>(delta);
    const auto cuts = any_cuts(delta);
    const bytes message = encoded(delta, delta_values::as_stored, cuts);
    RC_ASSERT(decoded<T>(message, delta.size()) == before);
    RC_ASSERT(contents_of<T>(delta) == before);
    RC_ASSERT(message.size() <= largest_delta_message(delta.size(), sizeof(T), 0, cuts.size() + 1));
  }));
}

TYPED_TEST(delta_message_of, halves_says_what_arrives_and_keeps_its_bound) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    auto delta = any_delta<T>(any_value<T>);
    const auto before = delta;
    const auto cuts = any_cuts(delta);
    const bytes message = encoded(delta, delta_values::as_half, cuts);
    RC_ASSERT(decoded<T>(message, delta.size()) == contents_of<T>(delta));
    RC_ASSERT(message.size() <= largest_delta_message(delta.size(), sizeof(T), 0, cuts.size() + 1));
    for (std::size_t block = 0; block < delta.size(); block += delta_block_size) {
      const std::size_t end = std::min(delta.size(), block + delta_block_size);
      double most = 0;
      for (std::size_t j = block; j < end; ++j)
        if (std::isfinite(before[j])) most = std::max(most, std::abs(static_cast<double>(before[j])));
      for (std::size_t j = block; j < end; ++j) {
        if (!std::isfinite(before[j])) {
          RC_ASSERT(bits(before[j]) == bits(delta[j]));
          continue;
        }
        const double was = before[j], off = std::abs(was - static_cast<double>(delta[j]));
        RC_ASSERT(off <= std::max({std::abs(was) * 0x1p-11 * (1 + 0x1p-12), most * 0x1p-39, 0x1p-149}));
      }
    }
  }));
}

TYPED_TEST(delta_message_of, halves_keeps_small_gains) {
  using T = TypeParam;
  for (const double size : {1e-3, 1e-6, 1e-9, 1e-30, 1e-37, 1e30}) {
    std::vector<T> delta(700);
    for (std::size_t j = 0; j < delta.size(); j += 3) delta[j] = static_cast<T>(size * (1 + 0.001 * double(j)));
    const auto before = delta;
    encoded(delta, delta_values::as_half);
    for (std::size_t j = 0; j < delta.size(); ++j) EXPECT_NEAR(delta[j] / size, before[j] / size, 0.0005 * 1.7) << size;
  }
}

TYPED_TEST(delta_message_of, whole_header_arrives) {
  using T = TypeParam;
  delta_header header{.values = delta_values::as_half,
                      .generation = 0x123456789abcdef0,
                      .round = 0xfedcba98,
                      .flags = 0x80000001,
                      .coordinates = std::uint64_t{1} << 56,
                      .prefix = 512,
                      .rows = {}};
  for (const std::size_t ranks : {0u, 1u, 3u, 1024u}) {
    header.rows.resize(ranks);
    std::iota(header.rows.begin(), header.rows.end(), std::uint64_t{1} << 63);
    bytes message(10'000, std::byte{7});
    delta_encoder<T> out(message, header);
    std::vector<T> last{T(2)};
    EXPECT_EQ(out.encode(header.coordinates - 1, last), 1u);
    out.finish();
    EXPECT_EQ(read_delta_header(message, "it"), header);
    EXPECT_EQ(delta_decoder<T>(message, header.coordinates).header(), header);
    EXPECT_EQ(decoded<T>(message, header.coordinates), contents_of<T>(last, header.coordinates - 1));
  }
  header.rows.resize(1025);
  bytes message;
  EXPECT_THROW(delta_encoder<T>(message, header), config_error);
  EXPECT_THROW(delta_encoder<T>(message, {.coordinates = header.coordinates + 1}), config_error);
}

TYPED_TEST(delta_message_of, mirror_follows_its_sender_to_the_bit) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    const std::size_t d = *rc::gen::inRange<std::size_t>(1, 3000);
    const counter_random random(*rc::gen::arbitrary<std::uint64_t>(), 1);
    std::vector<T> w(d), b(d), p(d), delta;
    const auto send = [&](std::size_t end, delta_values values) {
      delta.resize(end);
      for (std::size_t j = 0; j < end; ++j) delta[j] = w[j] - b[j];
      bytes message;
      delta_encoder<T> out(message, {.values = values, .coordinates = d});
      out.encode(0, delta);
      out.finish();
      for (std::size_t j = 0; j < end; ++j) b[j] += delta[j];
      delta_decoder<T> in(message, d);
      in.for_each([&](std::uint64_t j, T value) { p[j] += value; });
      RC_ASSERT(std::ranges::equal(b, p));
    };
    std::uint64_t counter = 0;
    for (int turn = 0; turn < 20; ++turn) {
      for (std::size_t k = 0; k < d / 3 + 1; ++k, counter += 2)
        w[random.below(counter, d)] += static_cast<T>((random.uniform(counter + 1) - 0.5) * std::exp2(-turn % 9));
      send(random.below(counter, d + 1), turn % 3 == 0 ? delta_values::as_stored : delta_values::as_half);
      ++counter;
    }
    // The first may round the difference; the second finds two neighbours, whose difference is a number of T.
    send(d, delta_values::as_stored);
    send(d, delta_values::as_stored);
    RC_ASSERT(std::ranges::equal(w, p));
  }));
}

// Whole numbers, whose sums are exact: received and unsent gains add up to all gains.
TYPED_TEST(delta_message_of, halves_loses_nothing) {
  using T = TypeParam;
  constexpr std::size_t d = 1000;
  const counter_random random(3, 1);
  std::vector<T> w(d), b(d), p(d), delta(d);
  std::int64_t gained = 0;
  std::size_t rounded = 0;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    const auto gain = static_cast<std::int64_t>(random.below(3 * k, 20'001)) - 10'000;
    w[random.below(3 * k + 1, d)] += static_cast<T>(gain);
    gained += gain;
    if (k % 100 != 99) continue;
    for (std::size_t j = 0; j < d; ++j) delta[j] = w[j] - b[j];
    const auto before = delta;
    const bytes message = encoded(delta, delta_values::as_half);
    for (std::size_t j = 0; j < d; ++j) b[j] += delta[j], rounded += delta[j] != before[j];
    delta_decoder<T>(message, d).for_each([&](std::uint64_t j, T value) { p[j] += value; });
    std::int64_t there = 0;
    for (std::size_t j = 0; j < d; ++j) there += static_cast<std::int64_t>(p[j] + (w[j] - b[j]));
    ASSERT_EQ(there, gained);
  }
  EXPECT_GT(rounded, 100u);
}

TYPED_TEST(delta_message_of, zeros_costs_nothing) {
  using T = TypeParam;
  std::vector<T> delta(1'000'000, T(0));
  delta[3] = -T(0);
  EXPECT_EQ(encoded(delta, delta_values::as_stored).size(), 64u);
  EXPECT_TRUE(std::signbit(delta[3]));
  delta.back() = T(1);
  EXPECT_EQ(encoded(delta, delta_values::as_stored).size(), 64 + 1 + 2 + 1 + sizeof(T));
  EXPECT_EQ(encoded(delta, delta_values::as_half).size(), 64u + 1 + 2 + 1 + 1 + 2);
}

TYPED_TEST(delta_message_of, skips_of_every_length_arrive) {
  using T = TypeParam;
  for (const std::uint64_t edge : {1ull, 31ull, 31ull + 0x80, 31ull + 0x4000, 31ull + 0x200000, 31ull + (1ull << 42)}) {
    for (const std::uint64_t block : {edge - 1, edge, edge + 1}) {
      bytes message;
      std::vector<T> one{T(1)}, two{T(2)};
      const std::uint64_t last = block * delta_block_size + 5;
      delta_encoder<T> out(message, {.coordinates = last + 1});
      out.encode(0, one);
      out.encode(last, two);
      out.finish();
      EXPECT_EQ(decoded<T>(message, last + 1), (contents<T>{{0, bits(T(1))}, {last, bits(T(2))}})) << block;
    }
  }
}

TYPED_TEST(delta_message_of, block_takes_the_shortest_layout) {
  using T = TypeParam;
  constexpr std::size_t s = sizeof(T);
  const auto size = [](std::initializer_list<std::size_t> places, std::size_t step = 256) {
    std::vector<T> delta(256);
    for (const std::size_t j : places) delta[j] = T(1);
    for (std::size_t j = 0; j < 256 && step < 256; j += step) delta[j] = T(1);
    return encoded(delta, delta_values::as_stored).size() - 64 - 1;
  };
  EXPECT_EQ(size({7}), 1 + s);                 // single
  EXPECT_EQ(size({7, 200}), 1 + 2 * (1 + s));  // pairs
  EXPECT_EQ(size({7, 12}), 1 + 2 * (1 + s));
  EXPECT_EQ(size({7, 8, 9}), 2 + 3 * s);  // run
  EXPECT_EQ(size({}, 4), 32 + 64 * s);    // bitmap
  EXPECT_EQ(size({}, 1), 2 + 256 * s);
  std::vector<T> gap(210, T(1));
  std::fill_n(gap.begin() + 190, 10, T(0));
  EXPECT_EQ(encoded(gap, delta_values::as_stored).size() - 64 - 1, 32 + 200 * s);
}

TYPED_TEST(delta_message_of, dense_array_takes_the_most_that_is_promised) {
  using T = TypeParam;
  for (const std::size_t d : {1u, 255u, 256u, 257u, 100'000u}) {
    std::vector<T> delta(d, T(1));
    const std::size_t size = encoded(delta, delta_values::as_stored).size();
    EXPECT_LE(size, largest_delta_message(d, sizeof(T), 0));
    EXPECT_GE(size + 8, largest_delta_message(d, sizeof(T), 0));
  }
}

TEST(delta_encoder, refuses_coordinates_out_of_order) {
  bytes message;
  std::vector<float> delta(10, 1.0f);
  delta_encoder<float> out(message, {.coordinates = 100});
  out.encode(20, delta);
  EXPECT_THROW(out.encode(29, delta), error);
  EXPECT_THROW(out.encode(91, delta), error);
  EXPECT_THROW(out.encode(101, {}), error);
  out.encode(30, delta);
  out.encode(90, delta);
}

}  // namespace
