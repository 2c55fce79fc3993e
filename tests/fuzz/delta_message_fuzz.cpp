// SPDX-License-Identifier: Apache-2.0
// Any bytes are either a message, whose values are in range and ascend and then survive being sent again, or refused
// with worker_error.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>
#include <hogwildpp/detail/delta_message.hpp>

namespace {

using namespace hogwild;

template <class T>
using values = std::vector<std::pair<std::uint64_t, T>>;

/// The contents until the end or the first fault.
template <class T>
bool read(std::span<const std::byte> message, std::uint64_t coordinates, values<T>& found) {
  try {
    delta_decoder<T> in(message, coordinates, "input");
    std::uint64_t next = 0;
    in.for_each([&](std::uint64_t j, T value) {
      if (j < next || j >= coordinates || value == 0) std::abort();
      next = j + 1;
      found.emplace_back(j, value);
    });
    return true;
  } catch (const worker_error&) {
    return false;
  }
}

template <class T>
void read_and_send(std::span<const std::byte> message) {
  std::uint64_t coordinates = 0;
  if (message.size() >= 48) std::memcpy(&coordinates, message.data() + 40, sizeof coordinates);
  values<T> first;
  if (!read(message, coordinates, first)) return;
  std::vector<std::byte> again;
  delta_header header = read_delta_header(message, "input");
  header.values = delta_values::as_stored;
  delta_encoder<T> out(again, header);
  for (auto [j, value] : first) out.encode(j, std::span(&value, 1));
  out.finish();
  values<T> second;
  if (!read(again, coordinates, second) || first.size() != second.size()) std::abort();
  for (std::size_t i = 0; i < first.size(); ++i)
    if (std::memcmp(&first[i].second, &second[i].second, sizeof(T)) != 0 || first[i].first != second[i].first)
      std::abort();
}

/// Corrects the fields before the records and the checksum, so that the records are reached.
void stamp(std::vector<std::byte>& message, std::uint8_t scalar) {
  const auto put = [&](std::size_t at, auto number) { std::memcpy(&message[at], &number, sizeof number); };
  std::memcpy(message.data(), "\x89HWDLT\r\n\x01", 10);
  put(10, scalar);
  put(11, std::uint8_t{1});
  put(12, std::uint32_t{0});
  put(16, std::uint64_t{message.size()});
  message[47] = std::byte{0};
  put(message.size() - 8, detail::checksum(std::span<const std::byte>(message).first(message.size() - 8)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  read_and_send<float>(input);
  if (size < 64) return 0;
  std::vector<std::byte> stamped(input.begin(), input.end());
  stamp(stamped, sizeof(float));
  read_and_send<float>(stamped);
  stamp(stamped, sizeof(double));
  read_and_send<double>(stamped);
  return 0;
}
