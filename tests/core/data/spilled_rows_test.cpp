// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

#include "data/block_file.hpp"
#include "data/dataset_writer.hpp"
#include "data/ingest.hpp"
#include "data/memory_budget.hpp"
#include "data/parsed_text.hpp"
#include "formats/libsvm_parser.hpp"
#include "support/file_size_limit.hpp"
#include "support/refusals.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/small_disk.hpp"

// Rows that exceed the memory for parsing go through files; the result is the same, byte for byte.

namespace hogwild::detail {
namespace {

using test::scratch_folder;

/// The shape of the rows.
struct text_kind {
  const char* name;
  std::uint32_t columns = 3000;
  std::uint32_t stride = 1;  ///< between the numbers of columns
  bool lists = false, real_labels = false, fine_values = true, by_kind = false, keep_order = false;
  value_precision values = value_precision::single;
  std::size_t memory = std::size_t{800} << 10, rows = 20'000;
};
void PrintTo(const text_kind& kind, std::ostream* out) {
  *out << kind.name;
}

/// About eight entries a row, whose columns have a long tail; a row has none, and one has thousands.
std::string text_of(const text_kind& kind, std::size_t rows) {
  const counter_random random(5, kind.columns);
  std::uint64_t n = 0;
  std::string text;
  std::vector<std::uint32_t> columns;
  for (std::size_t r = 0; r < rows; ++r) {
    if (kind.real_labels) text += "0.";
    text += std::to_string(random.below(n++, kind.real_labels ? 1'000'000 : 5));
    // The first list comes late, so that rows without one have gone to the file before.
    if (kind.lists && r > rows / 2 && r % 3 == 0) text += "," + std::to_string(5 + random.below(n++, 300));
    columns.clear();
    for (std::uint64_t k = r == rows / 3 ? 2000 : r == rows / 4 ? 0 : random.below(n++, 16); k > 0; --k) {
      const double u = random.uniform(n++);
      columns.push_back(static_cast<std::uint32_t>(u * u * u * kind.columns) + 1);
    }
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::uint32_t column : columns) {
      text += ' ' + std::to_string(std::uint64_t{column} * kind.stride) + ':';
      if (kind.fine_values) text += "0.";
      text += std::to_string(random.below(n++, kind.fine_values ? 1'000'000 : 9));
    }
    text += '\n';
  }
  return text;
}

struct way {
  std::size_t memory = 0;  ///< 0: as much as it takes
  int threads = 1;
};

/// The bytes of the file that the rows become, without its key; `ranges` gets the number of ranges it was written in.
std::string bytes_of(const std::string& text, const text_kind& kind, way how, const scratch_folder& folder,
                     const column_numbering* numbering = nullptr, std::size_t* ranges = nullptr) {
  const spill_options spill{.memory = how.memory,
                            .folders = {folder.path()},
                            .numbering = numbering,
                            .values = kind.values,
                            .refused = [](const std::string& why) { throw resource_error(why); }};
  row_format format = libsvm_row_format();
  format.by_kind = kind.by_kind, format.keep_entry_order = kind.keep_order;
  tbb::task_arena arena(how.threads);
  return arena.execute([&] {
    const auto input = open_input_memory(text, "text", 20'000);
    const auto parsed = parse_all(*input, format, {.spill = how.memory > 0 ? &spill : nullptr});
    const row_plan plan = plan_rows(*parsed, numbering, kind.values, "text", format);
    if (ranges != nullptr) *ranges = plan.ranges == nullptr ? 0 : plan.ranges->count();
    dataset_writer file = dataset_writer::in_memory(sizes_of(*parsed, plan));
    write_rows(*parsed, plan, file);
    const sparse_dataset data = std::move(file).finish();
    data.verify();
    return test::read_text(data.shared_path());
  });
}

class spilled_rows : public ::testing::TestWithParam<text_kind> {};

TEST_P(spilled_rows, make_the_same_bytes_as_rows_in_memory) {
  const scratch_folder folder;
  const std::string text = text_of(GetParam(), GetParam().rows);
  const std::string whole = bytes_of(text, GetParam(), {}, folder);
  for (const int threads : {1, 2}) {
    if (test::sanitized && threads == 1) continue;
    std::size_t ranges = 0;
    EXPECT_TRUE(bytes_of(text, GetParam(), {GetParam().memory, threads}, folder, nullptr, &ranges) == whole) << threads;
    EXPECT_GT(ranges, 4u);
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST_P(spilled_rows, make_the_same_bytes_through_a_numbering) {
  const scratch_folder folder;
  // Every third number, in no order, and some that do not occur.
  std::vector<std::uint32_t> known;
  for (std::uint32_t k = 0; k < 2000; ++k) known.push_back((1 + (k * 1009u % 2000u) * 3) * GetParam().stride);
  const column_numbering numbering(known);
  const std::string text = text_of(GetParam(), GetParam().rows);
  std::size_t ranges = 0;
  EXPECT_TRUE(bytes_of(text, GetParam(), {GetParam().memory, 2}, folder, &numbering, &ranges) ==
              bytes_of(text, GetParam(), {}, folder, &numbering));
  EXPECT_GT(ranges, 1u);
}

constexpr std::size_t much = std::size_t{3} << 20;
INSTANTIATE_TEST_SUITE_P(
    kinds, spilled_rows,
    ::testing::Values(
        text_kind{.name = "few_columns"}, text_kind{.name = "halves", .fine_values = false},
        text_kind{.name = "rounded", .values = value_precision::half},
        text_kind{.name = "singletons", .columns = 100'000, .memory = much, .rows = 40'000},
        text_kind{.name = "far_apart", .stride = 700'000},
        text_kind{.name = "singletons_far_apart", .columns = 100'000, .stride = 40'000, .memory = much, .rows = 40'000},
        text_kind{.name = "kept_order", .columns = 100'000, .keep_order = true, .memory = much, .rows = 40'000},
        text_kind{.name = "two_kinds", .by_kind = true},
        text_kind{.name = "lists", .lists = true, .memory = std::size_t{1} << 20},
        text_kind{.name = "numbers", .real_labels = true}),
    [](const auto& kind) { return std::string(kind.param.name); });

/// By default 16 MiB hold a million entries, and these are more.
constexpr std::size_t little = memory_budget::least;
constexpr std::size_t many_rows = 150'000;
const std::string& many() {
  static const std::string text = text_of({.name = "many"}, many_rows);
  return text;
}

TEST(spilled_rows_of_a_file, make_the_cache_that_they_make_in_memory) {
  const scratch_folder folder;
  const std::string path = folder.write("t", many());
  static_cast<void>(open_libsvm(path));
  const std::string whole = test::read_text(path + ".hogwild");
  std::filesystem::remove(path + ".hogwild");
  static_cast<void>(open_libsvm(path, {.memory = little}));
  EXPECT_TRUE(test::read_text(path + ".hogwild") == whole);
  const sparse_dataset kept = open_libsvm(path);
  EXPECT_TRUE(kept.from_cache());
  const sparse_dataset nowhere = open_libsvm(path, {.cache = open_options::cache_use::none, .memory = little});
  EXPECT_TRUE(std::ranges::equal(nowhere.view().index16, kept.view().index16));
  EXPECT_TRUE(std::ranges::equal(nowhere.view().value, kept.view().value));
  EXPECT_EQ(folder.entries(), 2u);
}

std::string refusal(const std::string& path, const open_options& options) {
  return test::message_of([&] { open_libsvm(path, options); });
}

TEST(spilled_rows_of_a_file, with_too_little_memory_are_refused_with_the_least) {
  const scratch_folder folder;
  const std::string path = folder.write("few", "1 1:1\n-1 2:1\n");
  EXPECT_THAT(refusal(path, {.memory = little - 1}), ::testing::HasSubstr("at least 16 MiB"));
  // Two million rows of a line each: their starts alone take half of the memory.
  std::string rows;
  for (int k = 0; k < 2'400'000; ++k) rows += k % 2 == 0 ? "1 1:1\n" : "-1 2:1\n";
  const std::string many = folder.write("many", rows);
  const std::string told = refusal(many, {.memory = little});
  ASSERT_THAT(told, ::testing::HasSubstr("16 MiB of memory are too little to parse its 2400000 rows and 2 columns; the "
                                         "least that works is "));
  EXPECT_EQ(folder.entries(), 2u);
  const std::size_t least = std::stoul(told.substr(told.rfind("is ") + 3)) << 20;
  EXPECT_NE(refusal(many, {.memory = least - (1 << 20)}), "accepted");
  EXPECT_EQ(refusal(many, {.memory = least}), "accepted");
}

TEST(spilled_rows_of_a_file, go_beside_it_where_there_is_no_other_folder_and_are_refused_where_there_is_none) {
  const scratch_folder folder;
  const std::string path = folder.write("t", many());
  const open_options nowhere{
      .cache = open_options::cache_use::none, .cache_folder = "/proc/self/task", .memory = little};
  EXPECT_EQ(refusal(path, nowhere), "accepted");
  const unique_fd open(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string told = refusal("/proc/self/fd/" + std::to_string(open.get()), nowhere);
  EXPECT_THAT(told, ::testing::HasSubstr("its rows take more than 16 MiB of memory, and there is no file for them"));
  EXPECT_THAT(told, ::testing::HasSubstr("/proc/self/task"));
}

TEST(spilled_rows_of_a_file, beyond_the_limit_on_files_are_refused_and_leave_nothing) {
  const scratch_folder folder;
  const std::string path = folder.write("t", many());
  const test::file_size_limit limit(std::size_t{4} << 20);
  EXPECT_THAT(refusal(path, {.memory = little}), ::testing::HasSubstr("the file for rows in"));
  EXPECT_EQ(folder.entries(), 1u);
}

/// Returns 0 on success.
int spill_on_a_full_disk(const std::filesystem::path& folder, const std::string& text) {
  const std::string path = folder / "t";
  test::write_text(path, text);
  const std::string told = refusal(path, {.memory = little});
  if (told.find("make room") == told.npos || told.find("No space left") == told.npos) return 1;
  if (std::distance(std::filesystem::directory_iterator(folder), {}) != 1) return 2;
  // The space is free again.
  return std::filesystem::space(folder).available + text.size() > (std::size_t{19} << 20) ? 0 : 3;
}

TEST(spilled_rows_of_a_file, on_a_full_disk_are_refused_and_leave_nothing) {
  const scratch_folder folder;
  const std::string& text = many();
  ASSERT_LT(text.size(), std::size_t{18} << 20);
  const auto code =
      test::on_small_disk(folder.path(), "20m", [&] { return spill_on_a_full_disk(folder.path(), text); });
  if (!code) GTEST_SKIP() << "this user may not mount a small disk";
  EXPECT_EQ(*code, 0);
}

TEST(spilled_rows_of_a_file, that_are_faulty_are_refused_by_the_first_fault) {
  const scratch_folder folder;
  std::string text = many();
  text += "1 5:x\n1 3:1 2:1\n";
  EXPECT_THAT(refusal(folder.write("t", text), {.memory = little}),
              ::testing::HasSubstr(":" + std::to_string(many_rows + 1) + ":"));
  text = many() + "1 5:70000\n1 6:80000\n";
  EXPECT_THAT(refusal(folder.write("u", text), {.values = value_precision::half, .memory = little}),
              ::testing::HasSubstr("row " + std::to_string(many_rows + 1) + " has the value 70000"));
  EXPECT_EQ(folder.entries(), 2u);
}

}  // namespace
}  // namespace hogwild::detail
