// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "delta_format.hpp"

namespace hogwild {
namespace {

using namespace detail::delta;

/// Appends bytes; the caller provides room.
struct writer {
  std::byte* to;
  template <class V>
  void put(V value) {
    put(&value, 1);
  }
  template <class V>
  void put(const V* values, std::size_t count) {
    std::memcpy(to, values, count * sizeof(V));
    to += count * sizeof(V);
  }
};

/// The exponent for the values; none if halves cannot hold them.
template <class T>
std::optional<int> exponent_of(std::span<const T> values) {
  bits_of<T> most = 0;  // magnitudes are ordered like their bits, NaNs last
  for (const T v : values) most = std::max<bits_of<T>>(most, std::bit_cast<bits_of<T>>(v) << 1);
  const auto largest = static_cast<double>(std::bit_cast<T>(static_cast<bits_of<T>>(most >> 1)));
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52) - 1023;
  if (exponent > most_exponent) return std::nullopt;
  return std::max(exponent, least_exponent);
}

/// The nonzero part of a block.
template <class T>
struct found_values {
  std::size_t count = 0;
  std::array<std::uint8_t, delta_block_size> index;
  std::array<T, delta_block_size> value;
  std::array<half, delta_block_size> halves;

  /// `delta` begins at index `offset`. No branch depends on the values.
  void collect(std::span<const T> delta, std::size_t offset) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < delta.size(); ++i) {
      index[n] = static_cast<std::uint8_t>(offset + i);
      value[n] = delta[i];
      n += !is_zero(delta[i]);
    }
    count = n;
  }

  /// Rounds the values, also in `delta`, and drops those that become zero.
  void round(int exponent, std::span<T> delta, std::size_t offset) {
    const double scale = power_of_two(top_of_halves - exponent), unit = power_of_two(exponent - top_of_halves);
    std::size_t n = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const half h = to_half(static_cast<float>(static_cast<double>(value[i]) * scale));
      const T rounded = from_half<T>(h, unit);
      delta[index[i] - offset] = rounded;
      index[n] = index[i];
      halves[n] = h;
      n += !is_zero(rounded);
    }
    count = n;
  }

  std::size_t run_length() const { return std::size_t{index[count - 1]} - index[0] + 1; }
};

template <class T>
layout shortest(const found_values<T>& found, std::size_t value_bytes) {
  const std::size_t n = found.count;
  if (n == 1) return layout::single;
  const std::size_t pairs = 1 + n * (1 + value_bytes), bitmap = bitmap_bytes + n * value_bytes,
                    run = 2 + found.run_length() * value_bytes;
  if (run <= pairs && run <= bitmap) return layout::run;
  return pairs <= bitmap ? layout::pairs : layout::bitmap;
}

template <class T, class V>
void put_values(writer& out, layout how, const found_values<T>& found, const std::array<V, delta_block_size>& values) {
  switch (how) {
    case layout::single:
      out.put(found.index[0]);
      out.put(values[0]);
      break;
    case layout::pairs:
      out.put(static_cast<std::uint8_t>(found.count - 1));
      out.put(found.index.data(), found.count);
      out.put(values.data(), found.count);
      break;
    case layout::bitmap: {
      std::array<std::uint64_t, delta_block_size / 64> bitmap{};
      for (std::size_t i = 0; i < found.count; ++i)
        bitmap[found.index[i] / 64] |= std::uint64_t{1} << (found.index[i] % 64);
      out.put(bitmap.data(), bitmap.size());
      out.put(values.data(), found.count);
      break;
    }
    case layout::run: {
      std::array<V, delta_block_size> dense{};
      for (std::size_t i = 0; i < found.count; ++i)
        dense[static_cast<std::size_t>(found.index[i] - found.index[0])] = values[i];
      out.put(found.index[0]);
      out.put(static_cast<std::uint8_t>(found.run_length() - 1));
      out.put(dense.data(), found.run_length());
      break;
    }
  }
}

template <class T>
bool all_zero(const T* values, std::size_t count) {
  bits_of<T> any = 0;
  for (std::size_t i = 0; i < count; ++i) any |= std::bit_cast<bits_of<T>>(values[i]);
  return static_cast<bits_of<T>>(any << 1) == 0;
}

}  // namespace

template <std::floating_point T>
delta_encoder<T>::delta_encoder(std::vector<std::byte>& message, const delta_header& header)
    : message_(message), coordinates_(header.coordinates), halves_(header.values == delta_values::as_half) {
  if (header.rows.size() > delta_header::most_ranks) {
    throw config_error(std::to_string(header.rows.size()) + " ranks are more than the " +
                       std::to_string(delta_header::most_ranks) + " that a ring of machines may have");
  }
  if (coordinates_ > most_coordinates) {
    throw config_error(std::to_string(coordinates_) + " coordinates are more than the 2^56 that a message may have");
  }
  message.resize(fixed_bytes + header.rows.size() * sizeof(std::uint64_t));
  writer out{message.data()};
  out.put(delta_magic.data(), delta_magic.size());
  out.put(delta_version);
  out.put(static_cast<std::uint8_t>(sizeof(T)));
  out.put(static_cast<std::uint8_t>(header.values));
  out.put(static_cast<std::uint32_t>(header.rows.size()));
  out.put(std::uint64_t{0});  // length, filled in by finish()
  out.put(header.generation);
  out.put(header.round);
  out.put(header.flags);
  out.put(header.coordinates);
  out.put(header.prefix);
  if (!header.rows.empty()) out.put(header.rows.data(), header.rows.size());
}

template <std::floating_point T>
std::size_t delta_encoder<T>::encode(std::uint64_t first, std::span<T> delta) {
  if (first < next_ || first > coordinates_ || delta.size() > coordinates_ - first) {
    throw error(exit_code::internal, "a delta message was given " + std::to_string(delta.size()) +
                                         " values from coordinate " + std::to_string(first) + " on, after " +
                                         std::to_string(next_) + " of " + std::to_string(coordinates_));
  }
  next_ = first + delta.size();
  std::size_t sent = 0;
  while (!delta.empty()) {
    const std::size_t n = std::min<std::size_t>(delta.size(), delta_block_size - first % delta_block_size);
    // A size known to the compiler makes the common case straight-line code with wide loads.
    const bool nothing = n == delta_block_size ? all_zero(delta.data(), delta_block_size) : all_zero(delta.data(), n);
    if (!nothing) sent += encode_block(first, delta.first(n));
    first += n;
    delta = delta.subspan(n);
  }
  return sent;
}

template <std::floating_point T>
std::size_t delta_encoder<T>::encode_block(std::uint64_t first, std::span<T> delta) {
  const std::size_t offset = first % delta_block_size;
  found_values<T> found;
  found.collect(delta, offset);
  const auto exponent = halves_ ? exponent_of<T>({found.value.data(), found.count}) : std::nullopt;
  if (exponent) found.round(*exponent, delta, offset);
  if (found.count == 0) return 0;

  std::array<std::byte, 16 + delta_block_size * sizeof(T)> record;
  writer out{record.data()};
  const layout how = shortest(found, exponent ? sizeof(half) : sizeof(T));
  std::uint64_t skip = first / delta_block_size - block_;
  block_ += skip;
  out.put(static_cast<std::uint8_t>(static_cast<unsigned>(how) | (exponent ? halves_bit : 0u) |
                                    static_cast<unsigned>(std::min(skip, long_skip)) << skip_shift));
  if (skip >= long_skip) {
    for (skip -= long_skip; skip >= 0x80; skip >>= 7) out.put(static_cast<std::uint8_t>(skip | 0x80));
    out.put(static_cast<std::uint8_t>(skip));
  }
  if (exponent) {
    out.put(static_cast<std::int8_t>(*exponent));
    put_values(out, how, found, found.halves);
  } else {
    put_values(out, how, found, found.value);
  }
  message_.insert(message_.end(), record.data(), out.to);
  return found.count;
}

template <std::floating_point T>
void delta_encoder<T>::finish() {
  const std::size_t body = message_.size();
  message_.resize(body + digest_bytes);
  writer{message_.data() + length_at}.put(std::uint64_t{message_.size()});
  writer{message_.data() + body}.put(detail::checksum(std::span(message_).first(body)));
}

template class delta_encoder<float>;
template class delta_encoder<double>;

}  // namespace hogwild
