// SPDX-License-Identifier: Apache-2.0
#include "data/row_stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/random.hpp>

#include "data/dataset_mapping.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

/// The number of pages in a part, and how many of them this process has mapped.
struct mapped_pages {
  std::size_t all = 0, here = 0;
};
mapped_pages pages_of(std::span<const std::byte> part) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) / page;
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page;
  std::vector<std::uint64_t> entries(end - begin);
  std::FILE* const map = std::fopen("/proc/self/pagemap", "rb");
  std::fseek(map, static_cast<long>(begin * sizeof(std::uint64_t)), SEEK_SET);
  EXPECT_EQ(std::fread(entries.data(), sizeof(std::uint64_t), entries.size(), map), entries.size());
  std::fclose(map);
  return {entries.size(),
          static_cast<std::size_t>(std::ranges::count_if(entries, [](std::uint64_t e) { return e >> 63 != 0; }))};
}

class streamed_rows : public ::testing::Test {
 protected:
  static constexpr std::uint64_t memory = std::uint64_t{1} << 20;

  void SetUp() override {
    const counter_random random(3, 0);
    std::uint64_t n = 0;
    std::string text;
    for (std::size_t r = 0; r < rows; ++r) {
      text += r % 2 == 0 ? "1" : "-1";
      for (std::size_t k = 0; k < 64; ++k) {
        text += ' ' + std::to_string(1 + 8 * k + random.below(n++, 8)) + ":0.";
        text += std::to_string(random.below(n++, 999));
      }
      text += '\n';
    }
    path = folder.write("t", text);
    // The cache has half a million entries of 6 bytes.
    const std::string cache = open_libsvm(path).shared_path();
    const detail::unique_fd file(::open(cache.c_str(), O_RDONLY | O_CLOEXEC));
    ::fsync(file.get());  // pages that are not on the disk yet do not go
    data.emplace(dataset_access::open(detail::unique_fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)), cache, true, memory));
    // The kernel read the surroundings of the header into large pages, which it drops only as a whole.
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (!data->view().streams()) GTEST_SKIP() << "the folder for tests is no disk";
  }

  std::span<const std::byte> values(std::size_t first, std::size_t last) const {
    const sparse_view view = data->view();
    return std::as_bytes(view.value.subspan(view.row_start[first], view.row_start[last] - view.row_start[first]));
  }

  static constexpr std::size_t rows = 8000;
  test::scratch_folder folder;
  std::string path;
  std::optional<sparse_dataset> data;
};

TEST_F(streamed_rows, are_there_when_they_were_asked_for_and_gone_when_released) {
  const sparse_view view = data->view();
  view.ensure(7000, 7256);
  EXPECT_EQ(pages_of(values(7000, 7256)).here, pages_of(values(7000, 7256)).all);
  view.release(7000, 7256);
  EXPECT_EQ(pages_of(values(7000, 7256)).here, 0u);
  EXPECT_GT(view.source->waited(), 0.0);
  // Half of the memory is for the first rows, which stay.
  view.ensure(0, 256);
  view.release(0, 256);
  EXPECT_EQ(pages_of(values(0, 256)).here, pages_of(values(0, 256)).all);
}

TEST_F(streamed_rows, are_never_all_there) {
  const sparse_view view = data->view();
  view.ensure(0, rows);
  data->verify();
  const mapped_pages whole = pages_of(values(0, rows));
  // The mapped pages include those that share a large page with the tables at the end, which are in use.
  EXPECT_LT(whole.here, whole.all * 9 / 10);
  EXPECT_GT(whole.here, whole.all / 8);
}

TEST_F(streamed_rows, are_the_rows_of_the_file) {
  const sparse_dataset held = open_libsvm(path);
  ASSERT_FALSE(held.view().streams());
  const sparse_view view = data->view(), other = held.view();
  row_cursor one(view), two(other);
  for (std::size_t first = 0; first < rows; first += 250) {
    view.announce(first, first + 250);
    view.ensure(first, first + 250);
    for (std::size_t r = first; r < first + 250; ++r) {
      ASSERT_TRUE(std::ranges::equal(one.row(r).index, two.row(r).index));
      ASSERT_TRUE(std::ranges::equal(one.row(r).value, two.row(r).value));
    }
    view.release(first, first + 250);
  }
}

}  // namespace
}  // namespace hogwild
