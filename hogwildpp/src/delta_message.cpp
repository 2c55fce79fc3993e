// SPDX-License-Identifier: Apache-2.0
#include <hogwildpp/detail/delta_message.hpp>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "delta_format.hpp"

namespace hogwild {
namespace {

using namespace detail::delta;

[[noreturn]] void refuse(std::string_view name, std::size_t at, std::string_view why) {
  throw worker_error(std::string(name) + ": byte " + std::to_string(at) + ": " + std::string(why) +
                     "; all machines must run the same build with the same options");
}

}  // namespace

delta_header read_delta_header(std::span<const std::byte> message, std::string_view name) {
  if (message.size() < fixed_bytes + digest_bytes) refuse(name, message.size(), "it ends within the header");
  if (std::memcmp(message.data(), delta_magic.data(), delta_magic.size()) != 0)
    refuse(name, 0, "this is no message of a ring");
  if (const auto found = load<std::uint16_t>(message, 8); found != delta_version) {
    refuse(name, 8,
           "it is of version " + std::to_string(found) + ", but only version " + std::to_string(delta_version) +
               " can be read");
  }
  if (const auto length = load<std::uint64_t>(message, length_at); length != message.size()) {
    refuse(name, length_at,
           "it should have " + std::to_string(length) + " bytes, but has " + std::to_string(message.size()));
  }
  const std::size_t body = message.size() - digest_bytes;
  if (load<std::uint64_t>(message, body) != detail::checksum(message.first(body)))
    refuse(name, body, "the contents do not match their checksum");

  const auto values = load<std::uint8_t>(message, 11);
  if (values > static_cast<std::uint8_t>(delta_values::as_half)) refuse(name, 11, "values are of an unknown kind");
  const auto ranks = load<std::uint32_t>(message, 12);
  if (ranks > delta_header::most_ranks || ranks > (body - fixed_bytes) / sizeof(std::uint64_t))
    refuse(name, 12, "it tells of more ranks than it has room for, or a ring");
  delta_header header;
  header.values = static_cast<delta_values>(values);
  header.generation = load<std::uint64_t>(message, 24);
  header.round = load<std::uint32_t>(message, 32);
  header.flags = load<std::uint32_t>(message, 36);
  header.coordinates = load<std::uint64_t>(message, 40);
  header.prefix = load<std::uint64_t>(message, 48);
  if (header.coordinates > most_coordinates) refuse(name, 40, "there are more than 2^56 coordinates");
  for (std::size_t r = 0; r < ranks; ++r)
    header.rows.push_back(load<std::uint64_t>(message, fixed_bytes + r * sizeof(std::uint64_t)));
  return header;
}

template <std::floating_point T>
delta_decoder<T>::delta_decoder(std::span<const std::byte> message, std::uint64_t coordinates, std::string_view name)
    : header_(read_delta_header(message, name)),
      message_(message.first(message.size() - digest_bytes)),
      name_(name),
      at_(fixed_bytes + header_.rows.size() * sizeof(std::uint64_t)) {
  if (const auto bytes = load<std::uint8_t>(message, 10); bytes != sizeof(T)) {
    fail(10,
         "it is of scalars of " + std::to_string(bytes) + " bytes, but those here have " + std::to_string(sizeof(T)));
  }
  if (header_.coordinates != coordinates) {
    fail(40, "it is of a model of " + std::to_string(header_.coordinates) + " coordinates, but the one here has " +
                 std::to_string(coordinates));
  }
}

template <std::floating_point T>
void delta_decoder<T>::fail(std::size_t at, std::string_view why) const {
  refuse(name_, at, why);
}

template <std::floating_point T>
std::span<const std::byte> delta_decoder<T>::take(std::size_t count) {
  if (count > message_.size() - at_) fail(at_, "it ends within a record");
  at_ += count;
  return message_.subspan(at_ - count, count);
}

template <std::floating_point T>
std::uint64_t delta_decoder<T>::take_number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(take(1)[0]);
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  fail(at_, "a number of blocks does not end");
}

template <std::floating_point T>
void delta_decoder<T>::take_values(std::size_t count, bool halves, int exponent) {
  if (!halves) {
    std::memcpy(value_.data(), take(count * sizeof(T)).data(), count * sizeof(T));
    return;
  }
  std::array<half, delta_block_size> read;
  std::memcpy(read.data(), take(count * sizeof(half)).data(), count * sizeof(half));
  const double unit = power_of_two(exponent - top_of_halves);
  for (std::size_t i = 0; i < count; ++i) value_[i] = from_half<T>(read[i], unit);
}

template <std::floating_point T>
std::optional<delta_block<T>> delta_decoder<T>::next() {
  if (at_ == message_.size()) return std::nullopt;
  const std::size_t begin = at_;
  const auto take_byte = [this] { return std::to_integer<std::uint8_t>(take(1)[0]); };
  const unsigned head = take_byte();
  std::uint64_t skip = head >> skip_shift;
  if (skip == long_skip) skip += take_number();
  const std::uint64_t blocks = (header_.coordinates + delta_block_size - 1) / delta_block_size;
  if (blocks == 0 || skip > blocks - 1 - block_) fail(begin, "a block lies behind the last coordinate");
  block_ += skip;
  const bool halves = (head & halves_bit) != 0;
  if (halves && header_.values != delta_values::as_half) fail(begin, "there are halves where there should be none");
  const int exponent = halves ? static_cast<std::int8_t>(take_byte()) : 0;
  if (exponent > most_exponent) fail(begin, "an exponent is too large");

  std::size_t count = 1;
  switch (static_cast<layout>(head & 3)) {
    case layout::single:
      index_[0] = take_byte();
      break;
    case layout::pairs:
      count = std::size_t{take_byte()} + 1;
      std::memcpy(index_.data(), take(count).data(), count);
      for (std::size_t i = 1; i < count; ++i)
        if (index_[i] <= index_[i - 1]) fail(begin, "indices do not ascend");
      break;
    case layout::bitmap: {
      const auto bitmap = take(bitmap_bytes);
      count = 0;
      for (std::size_t word = 0; word < bitmap_bytes / 8; ++word)
        for (auto bits = load<std::uint64_t>(bitmap, 8 * word); bits != 0; bits &= bits - 1)
          index_[count++] = static_cast<std::uint8_t>(64 * word + static_cast<unsigned>(std::countr_zero(bits)));
      if (count == 0) fail(begin, "a bitmap is empty");
      break;
    }
    case layout::run: {
      const std::size_t first = take_byte();
      count = std::size_t{take_byte()} + 1;
      if (first + count > delta_block_size) fail(begin, "a run leaves its block");
      for (std::size_t i = 0; i < count; ++i) index_[i] = static_cast<std::uint8_t>(first + i);
      break;
    }
  }
  const std::uint64_t first = block_ * delta_block_size;
  if (first + index_[0] < next_) fail(begin, "coordinates do not ascend");
  if (first + index_[count - 1] >= header_.coordinates) fail(begin, "a value lies behind the last coordinate");
  next_ = first + index_[count - 1] + 1;
  take_values(count, halves, exponent);

  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    index_[n] = index_[i];
    value_[n] = value_[i];
    n += !is_zero(value_[i]);
  }
  return delta_block<T>{first, {index_.data(), n}, {value_.data(), n}};
}

template class delta_decoder<float>;
template class delta_decoder<double>;

}  // namespace hogwild
