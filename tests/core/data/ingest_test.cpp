// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

#include "data/parsed_text.hpp"
#include "formats/libsvm_parser.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using test::scratch_folder;

open_options in_memory(std::size_t threads = 1) {
  return {.cache = open_options::cache_use::none, .threads = threads};
}

using plain_row = std::pair<double, std::map<std::uint32_t, float>>;

/// Rows in the numbering of the input.
std::vector<plain_row> rows_of(const sparse_dataset& data) {
  data.verify();
  std::vector<plain_row> rows;
  const sparse_view view = data.view();
  row_cursor cursor(view);
  for (std::size_t r = 0; r < view.rows(); ++r) {
    rows.push_back({view.label[r], {}});
    for (const auto [position, value] : cursor.row(r)) rows.back().second[data.original(position)] = value;
  }
  return rows;
}

std::string text_of(const std::vector<plain_row>& rows) {
  std::ostringstream text;
  text.precision(9);
  for (const auto& [label, entries] : rows) {
    text << label;
    for (const auto& [index, value] : entries) text << ' ' << index << ':' << value;
    text << '\n';
  }
  return text.str();
}

/// Rows whose columns are drawn with a long tail from [1, columns].
std::vector<plain_row> random_rows(std::size_t count, std::uint32_t columns) {
  const counter_random random(17, columns);
  std::vector<plain_row> rows(count);
  std::uint64_t n = 0;
  for (auto& [label, entries] : rows) {
    label = random.below(n++, 2) == 0 ? -1 : 1;
    for (std::uint64_t k = random.below(n++, 12); k > 0; --k) {
      const double u = random.uniform(n++);
      entries[1 + static_cast<std::uint32_t>(u * u * u * (columns - 1))] = static_cast<float>(k) / 8;
    }
  }
  return rows;
}

struct ingest : testing::Test {
  const scratch_folder folder;
};

TEST_F(ingest, columns_are_ordered_by_falling_frequency_then_by_number) {
  const auto data = open_libsvm(folder.write("t", "1 3:1 5:1 9:1\n1 5:1 9:1\n-1 9:1 20:1\n-1 4:1 20:1\n"), in_memory());
  ASSERT_EQ(data.features(), 5u);
  const std::vector<std::uint32_t> original = {9, 5, 20, 3, 4};
  for (std::size_t position = 0; position < original.size(); ++position) {
    EXPECT_EQ(data.original(position), original[position]);
    EXPECT_EQ(data.numbering().position(original[position]), position);
  }
  EXPECT_THAT(data.view().degree, ::testing::ElementsAre(3, 2, 2, 1, 1));
  EXPECT_EQ(data.nonzeros(), 9u);
}

TEST_F(ingest, a_huge_index_costs_nothing) {
  const auto data = open_libsvm(folder.write("t", "1 4294967294:2\n-1 7:1 4294967294:3\n0\n"), in_memory());
  EXPECT_EQ(data.features(), 2u);
  EXPECT_EQ(data.original(0), 4294967294u);
  EXPECT_EQ(data.original(1), 7u);
}

TEST_F(ingest, dense_and_sparse_counting_agree) {
  const std::vector<plain_row> rows = random_rows(3000, 500);
  std::vector<plain_row> spread = rows;
  for (auto& [label, entries] : spread) {
    std::map<std::uint32_t, float> far;
    for (const auto& [index, value] : entries) far[index * 8'000'000] = value;
    entries = far;
  }
  const auto near = open_libsvm(folder.write("near", text_of(rows)), in_memory());
  const auto far = open_libsvm(folder.write("far", text_of(spread)), in_memory());
  ASSERT_EQ(near.features(), far.features());
  for (std::size_t r = 0; r < near.features(); ++r) ASSERT_EQ(near.original(r) * 8'000'000, far.original(r));
  EXPECT_TRUE(std::ranges::equal(near.view().index16, far.view().index16));
}

TEST_F(ingest, rows_are_shuffled_once_and_none_is_lost) {
  std::vector<plain_row> rows = random_rows(5000, 200);
  auto read = rows_of(open_libsvm(folder.write("t", text_of(rows)), in_memory()));
  EXPECT_NE(read, rows);
  std::sort(rows.begin(), rows.end());
  std::sort(read.begin(), read.end());
  EXPECT_EQ(read, rows);
}

TEST_F(ingest, the_last_record_is_kept_without_a_newline) {
  const auto data = open_libsvm(folder.write("t", "1 1:1\n-1 1:2\n5 3:7"), in_memory());
  EXPECT_THAT(rows_of(data), ::testing::Contains(plain_row{5, {{3, 7.0f}}}));
  EXPECT_EQ(data.rows(), 3u);
}

TEST_F(ingest, a_numbering_keeps_the_order_and_drops_and_counts_what_it_does_not_know) {
  const auto train = open_libsvm(folder.write("train", "1 3:1 5:1\n1 5:1\n"), in_memory());
  open_options options = in_memory();
  options.numbering = &train.numbering();
  const auto test = open_libsvm(folder.write("test", "7 1:9 3:2 4:9\n8 6:1\n9 5:4\n"), options);
  EXPECT_EQ(test.features(), 2u);
  EXPECT_EQ(test.unknown_entries(), 3u);
  EXPECT_THAT(rows_of(test),
              ::testing::ElementsAre(plain_row{7, {{3, 2.0f}}}, plain_row{8, {}}, plain_row{9, {{5, 4.0f}}}));
  EXPECT_THAT(test.view().degree, ::testing::ElementsAre(1, 1));
  EXPECT_EQ(test.numbering().digest(), train.numbering().digest());
}

TEST_F(ingest, threads_do_not_change_a_byte) {
  const std::string path = folder.write("t", text_of(random_rows(120'000, 4000)));
  ASSERT_GT(std::filesystem::file_size(path), 3u << 20);  // several blocks of text
  const auto bytes = [&](std::size_t threads) {
    return test::read_text(open_libsvm(path, in_memory(threads)).shared_path());
  };
  const std::string one = bytes(1);
  EXPECT_EQ(bytes(2), one);
  EXPECT_EQ(bytes(7), one);
}

TEST_F(ingest, the_instruction_set_changes_nothing_and_has_to_be_there) {
  const std::string path = folder.write("rows.svm", text_of(random_rows(3000, 500)));
  const auto opened = [&](isa set) {
    return open_libsvm(path, {.cache = open_options::cache_use::none, .threads = 1, .isa = set});
  };
  const auto expected = rows_of(opened(isa::automatic));
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
    if (has_isa(set))
      EXPECT_EQ(rows_of(opened(set)), expected) << name_of(set);
    else
      EXPECT_THROW(opened(set), config_error) << name_of(set);
  }
}

TEST_F(ingest, the_earliest_faulty_line_is_reported_whatever_the_block_size) {
  std::string text;
  for (int n = 0; n < 4000; ++n) text += n % 50 == 49 ? "\n# note\n" : "1 1:1 2:1\n";
  const std::size_t lines = 4000 + 80;
  text += "1 2:1 1:1\n";
  for (int n = 0; n < 4000; ++n) text += n % 3 == 0 ? "1 0:1\n" : "1 1:1\n";
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  for (const std::size_t block_bytes : {std::size_t{16}, std::size_t{200}, std::size_t{5000}, std::size_t{1} << 20}) {
    const auto input = detail::open_input_memory(text, "f", block_bytes);
    test::expect_refused({std::to_string(block_bytes) + " bytes", lines + 1, 7, ""},
                         [&] { arena.execute([&] { detail::parse_all(*input, detail::libsvm_row_format()); }); });
  }
}

TEST_F(ingest, no_rows_at_all_are_refused_at_the_first_line) {
  for (const char* text : {"", "\n\n", "# nothing\n"})
    test::expect_refused({text, 1, 1, ""}, [&] { open_libsvm(folder.write("t", text), in_memory()); });
}

RC_GTEST_FIXTURE_PROP(ingest, what_is_written_is_opened,
                      (const std::vector<std::map<std::uint32_t, std::int16_t>>& given)) {
  RC_PRE(!given.empty());
  std::vector<plain_row> rows;
  for (const auto& entries : given) {
    rows.push_back({static_cast<double>(rows.size()), {}});
    for (const auto& [index, value] : entries)
      if (index != 0 && index != 0xffffffffu) rows.back().second[index] = static_cast<float>(value) / 64;
  }
  const std::string path = folder.write("t", text_of(rows));
  const auto train = open_libsvm(path, in_memory());
  auto shuffled = rows_of(train);
  std::sort(shuffled.begin(), shuffled.end());  // labels count the rows
  RC_ASSERT(shuffled == rows);
  open_options options = in_memory();
  options.numbering = &train.numbering();
  const auto ordered = open_libsvm(path, options);
  RC_ASSERT(rows_of(ordered) == rows);
  RC_ASSERT(ordered.unknown_entries() == 0u);
}

}  // namespace
}  // namespace hogwild
