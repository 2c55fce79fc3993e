// SPDX-License-Identifier: Apache-2.0
// Any bytes are either a model of fastText's program, whose words then have the same vectors in a file that is written
// anew, or refused with input_error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/error.hpp>

#include "words/fasttext_file.hpp"

namespace {

using namespace hogwild;

constexpr std::size_t head_bytes = 64;

void read(std::string_view bytes) {
  try {
    const known_words known = detail::parse_fasttext(bytes, "fuzz");
    if (known.vectors.values.size() != known.vectors.words.size() * known.vectors.dimension) std::abort();
    (void)known.unseen("unseen");
    detail::fasttext_model plain{.dimension = static_cast<std::int32_t>(known.vectors.dimension),
                                 .words = known.vectors.words,
                                 .rows = known.vectors.values};
    std::string again;
    detail::write_fasttext(plain, [&](std::span<const std::byte> some) {
      again.append(reinterpret_cast<const char*>(some.data()), some.size());
    });
    if (detail::parse_fasttext(again, "again").vectors != known.vectors) std::abort();
  } catch (const input_error&) {
  }
}

/// The options of a small model, so that the words behind them are reached.
std::string with_head(std::string_view bytes) {
  const std::int32_t options[14] = {793712314, 12, 1, 5, 5, 1, 5, 1, 2, 2, bytes.size() % 2 == 0 ? 0 : 4, 2, 3, 100};
  std::string all(bytes);
  std::memcpy(all.data(), options, sizeof options);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  if (size >= head_bytes) read(with_head(bytes));
  return 0;
}
