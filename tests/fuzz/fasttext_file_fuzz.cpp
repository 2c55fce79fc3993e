// SPDX-License-Identifier: Apache-2.0
// Any bytes are either a model of fastText's program, whose words then have the same vectors in a file that is written
// anew, or refused with input_error. So are sound models of which one byte is another one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/error.hpp>

#include "words/fasttext_file.hpp"

namespace {

using namespace hogwild;

std::string written(const detail::fasttext_model& model) {
  std::string bytes;
  detail::write_fasttext(model, [&](std::span<const std::byte> some) {
    bytes.append(reinterpret_cast<const char*>(some.data()), some.size());
  });
  return bytes;
}

void read(std::string_view bytes) {
  try {
    const word_vectors vectors = detail::parse_fasttext(bytes, "fuzz").vectors;
    const std::string again = written(
        {.dimension = static_cast<std::int32_t>(vectors.dimension), .words = vectors.words, .rows = vectors.values});
    if (detail::parse_fasttext(again, "again").vectors != vectors) std::abort();
  } catch (const input_error&) {
  }
}

/// A model with parts of words, whose words are the lines of the bytes.
std::string model_of(std::string_view bytes) {
  detail::fasttext_model m{.dimension = 2, .buckets = 5, .least = 1, .most = 3};
  while (!bytes.empty() && m.words.size() < 64) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    m.words.emplace_back(line.substr(0, line.find('\0')));
    m.rows.insert(m.rows.end(), {static_cast<float>(line.size()), 0.5f});
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
  }
  return written(m);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  if (size < 4) return 0;
  std::string model = model_of(bytes.substr(3));
  read(model);
  model[(data[0] + 256u * data[1]) % model.size()] = static_cast<char>(data[2]);
  read(model);
  return 0;
}
