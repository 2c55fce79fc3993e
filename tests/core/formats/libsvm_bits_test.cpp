// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/random_libsvm.hpp"
#include "text/input_stream.hpp"

namespace hogwild::test {
namespace {

/// Reads well-formed lines by std::from_chars.
parsed_block read_by_from_chars(std::string_view text) {
  parsed_block result;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto number = [&]<class T>(T value) {
    p += *p == '+';
    const auto [next, status] = std::from_chars(p, end, value);
    EXPECT_EQ(status, std::errc{}) << std::string_view(p, 20);
    p = next;
    return value;
  };
  for (; p != end; ++p, ++result.lines) {
    const char* const line = p;
    std::vector<double> labels{number(0.0)};
    while (*p == ',') labels.push_back((++p, number(0.0)));
    if (labels.size() > 1 && result.list_line == 0) result.list_line = result.lines + 1;
    if (!result.no_class && std::floor(labels[0]) != labels[0])
      result.no_class.emplace(result.lines + 1, 1, "the label '" + std::string(line, p) + "'");
    std::ranges::sort(labels);
    result.label.push_back(std::bit_cast<std::uint64_t>(labels[0]));
    result.list.insert(result.list.end(), labels.begin(), labels.end());
    result.list_end.push_back(static_cast<std::uint32_t>(result.list.size()));
    while (*p == ' ' && p[1] != '\n') {
      ++p;
      const std::uint32_t index = number(std::uint32_t{});
      ++p;
      result.index.push_back(index - 1);
      result.value.push_back(std::bit_cast<std::uint32_t>(number(0.0f)));
      result.columns = std::max(result.columns, index);
    }
    p += *p == ' ';
    result.row_end.push_back(static_cast<std::uint32_t>(result.index.size()));
  }
  if (result.list_line == 0) result.list.clear(), result.list_end.clear();
  return result;
}

// All LIBSVM sets of the folder, block by block, on every instruction set.
TEST(libsvm_bits, every_number_of_every_set_equals_from_chars) {
  const char* const folder = std::getenv("HOGWILD_DATA_DIR");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "HOGWILD_DATA_DIR is not there";
  std::size_t blocks = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string path = file.path().string();
    if (!path.ends_with(".libsvm.xz")) continue;
    const auto input = detail::open_input(path);
    for (auto block = input->next(); block; block = input->next()) {
      const parsed_block expected = read_by_from_chars(block->text);
      for (const isa set : isas_here())
        ASSERT_EQ(parse_with(set, std::string(block->text), false), expected) << path << ' ' << name_of(set);
      ++blocks;
    }
  }
  if (blocks == 0) GTEST_SKIP() << folder << " holds no LIBSVM sets";
}

}  // namespace
}  // namespace hogwild::test
