// SPDX-License-Identifier: Apache-2.0
// Outputs that find no room: beyond the limit on file sizes, and on a full disk.

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/results/run_record.hpp>
#include <hogwild/error.hpp>

#include "support/file_size_limit.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "support/small_disk.hpp"

namespace {

namespace fs = std::filesystem;
using hogwild::atomic_file;
using hogwild::test::file_size_limit;
using hogwild::test::read_text;
using hogwild::test::scratch_folder;
using hogwild::test::write_text;

TEST(output_room, a_limit_on_file_sizes_is_told_and_nothing_is_left) {
  const scratch_folder folder;
  write_text(folder / "a", "old");
  const auto text = std::string(600, 'x');
  const auto refused = [&](const auto& write) {
    const std::string said = hogwild::test::message_of<hogwild::resource_error>([&] {
      const file_size_limit limit(1000);  // to write beyond it would end this program by SIGXFSZ
      write();
    });
    EXPECT_NE(said.find("1000"), std::string::npos) << said;
    EXPECT_NE(said.find("ulimit -f"), std::string::npos) << said;
  };
  refused([&] {
    atomic_file file(folder / "a");
    for (int k = 0; k < 2; ++k) file.write(std::as_bytes(std::span(text)));
    file.commit();
  });
  refused([&] {
    hogwild::checkpoint state;
    state.put_span<char>("parameters", text + text);
    hogwild::write_checkpoint(folder / "a", state);
  });
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1u);

  hogwild::run_record record(folder / "a");
  refused([&] {
    for (;;) record.write(hogwild::epoch_report{.epoch = 1});
  });
  const std::string lines = read_text(folder / "a");
  EXPECT_GT(lines.size(), 300u);
  EXPECT_EQ(lines.back(), '\n');
}

/// Runs on a disk of one page. Returns 0 on success.
int record_on_a_full_disk(const fs::path& folder) {
  int lines = 0;
  {
    hogwild::run_record record(folder / "run.jsonl");
    try {
      for (; lines < 1000; ++lines) record.write(hogwild::epoch_report{.epoch = 1});
    } catch (const hogwild::resource_error&) {
    }
  }
  const std::string text = read_text(folder / "run.jsonl");
  if (lines == 0 || lines == 1000 || text.empty()) return 1;
  if (text.back() != '\n') return 2;
  if (text.size() >= 4096) return 3;  // no line was cut
  return std::ranges::count(text, '\n') == lines ? 0 : 4;
}

TEST(output_room, a_record_on_a_full_disk_has_whole_lines) {
  const scratch_folder folder;
  const auto code =
      hogwild::test::on_small_disk(folder.path(), "4k", [&] { return record_on_a_full_disk(folder.path()); });
  if (!code) GTEST_SKIP() << "this user may not mount a small disk";
  EXPECT_EQ(*code, 0);
}

}  // namespace
