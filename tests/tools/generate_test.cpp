// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

#include <generate/generate.hpp>
#include <generate/row_source.hpp>

#include "command.hpp"
#include "support/file_size_limit.hpp"
#include "support/small_disk.hpp"

namespace hogwild::generate {
namespace {

options small() {
  return {.rows = 8000, .columns = 5000, .nonzeros = 30, .delta = 0.4, .test_fraction = 0.25};
}

TEST(generate, has_the_shape_that_was_asked_for) {
  const options o = small();
  const data made = in_memory(o);
  const auto n = static_cast<double>(o.rows);
  EXPECT_EQ(made.train.label.size() + made.test.label.size(), o.rows);
  EXPECT_EQ(made.train.columns, o.columns);
  // Binomial, 8000 rows: standard deviation 0.0048 of the fraction; five of them are left in 6e-7 of all seeds.
  EXPECT_NEAR(static_cast<double>(made.test.label.size()) / n, o.test_fraction, 5 * 0.0049);
  // Row lengths have a standard deviation of about 20, their mean one of 0.22; what the margin leaves out may move it
  // by as much again.
  const double mean = static_cast<double>(made.train.index.size() + made.test.index.size()) / n;
  EXPECT_NEAR(mean, o.nonzeros, 2.0);
  std::vector<std::size_t> degree(o.columns);
  for (const rows* part : {&made.train, &made.test}) {
    for (const std::uint32_t j : part->index) ++degree[j];
  }
  // Standard deviation 0.0055.
  EXPECT_NEAR(static_cast<double>(std::ranges::max(degree)) / n, o.delta, 0.04);
  std::ranges::sort(degree, std::greater{});
  EXPECT_GT(degree[0], 2 * degree[10]);
  EXPECT_GT(degree[10], 4 * degree[500]);
}

TEST(generate, rows_have_unit_length_and_ascending_columns) {
  const data made = in_memory(small());
  const sparse_view rows = made.train.view();
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto z = cursor.row(r);
    ASSERT_GT(z.size(), 0u);
    ASSERT_TRUE(std::ranges::is_sorted(z.index, std::less_equal{})) << r;
    double squares = 0.0;
    for (const float x : z.value) squares += static_cast<double>(x) * static_cast<double>(x);
    ASSERT_NEAR(squares, 1.0, 1e-4) << r;
  }
}

TEST(generate, noise_turns_its_fraction_of_the_labels) {
  options o = small();
  o.noise = 0.0;
  const data clean = in_memory(o);
  o.noise = 0.1;
  const data noisy = in_memory(o);
  ASSERT_TRUE(clean.train.index == noisy.train.index);
  std::size_t turned = 0;
  for (std::size_t r = 0; r < clean.train.label.size(); ++r) turned += clean.train.label[r] != noisy.train.label[r];
  // About 6000 rows: standard deviation 0.0039; five of them.
  EXPECT_NEAR(static_cast<double>(turned) / static_cast<double>(clean.train.label.size()), 0.1, 5 * 0.0041);
}

TEST(generate, the_same_seed_makes_the_same_data_on_any_number_of_threads) {
  const data first = in_memory(small());
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const data second = in_memory(small());
  EXPECT_TRUE(first.train.index == second.train.index);
  EXPECT_TRUE(first.train.value == second.train.value);
  EXPECT_TRUE(first.test.label == second.test.label);
  options other = small();
  other.seed = 2;
  EXPECT_FALSE(in_memory(other).train.index == first.train.index);
}

TEST(generate, text_reads_back_as_the_rows_in_memory) {
  const hogwild::test::scratch_folder folder;
  const options o = small();
  const file_facts facts = write_files(o, folder / "train.svm", folder / "test.svm");
  const data made = in_memory(o);
  EXPECT_EQ(facts.train_rows, made.train.label.size());
  EXPECT_EQ(facts.test_nonzeros, made.test.index.size());
  const auto same = [](const std::string& path, const rows& expected) {
    const libsvm_rows read = parse_libsvm(hogwild::test::read_file(path));
    EXPECT_TRUE(read.row_start == expected.row_start);
    EXPECT_TRUE(read.index == expected.index);
    EXPECT_TRUE(read.value == expected.value);
    EXPECT_TRUE(read.label == expected.label);
  };
  same(folder / "train.svm", made.train);
  same(folder / "test.svm", made.test);

  const file_facts together = write_files(o, folder / "all.svm", std::nullopt);
  EXPECT_EQ(together.train_rows, o.rows);
  EXPECT_EQ(together.test_rows, 0u);
}

TEST(generate, a_disk_without_room_is_told_and_no_file_is_left) {
  const hogwild::test::scratch_folder folder;
  const auto write = [&] {
    const test::file_size_limit limit(100'000);
    write_files(small(), folder / "train.svm", folder / "test.svm");
  };
  EXPECT_THROW(write(), resource_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Rows of the usual length take about 1 KB each: a thousand of them have room on the disk, and a hundred thousand not.
TEST(generate, a_disk_that_will_have_no_room_is_told_before_anything_is_written) {
  const hogwild::test::scratch_folder folder;
  const std::filesystem::path disk = folder / "disk", made = disk / "train.svm";
  std::filesystem::create_directory(disk);
  const auto written = hogwild::test::on_small_disk(disk, "8m", [&] {
    options o;
    o.rows = 1'000;
    write_files(o, made, std::nullopt);
    if (!std::filesystem::exists(made)) return 1;
    o.rows = 100'000;
    for (const std::optional<std::filesystem::path>& test :
         {std::optional<std::filesystem::path>(), {disk / "test.svm"}}) {
      try {
        write_files(o, disk / "large.svm", test);
        return 2;
      } catch (const resource_error& e) {
        const std::string text = e.what();
        if (text.find("large.svm needs about ") == std::string::npos ||
            text.find("MiB free; free some space") == std::string::npos)
          return 3;
      }
    }
    return std::distance(std::filesystem::directory_iterator(disk), {}) == 1 ? 0 : 4;
  });
  if (!written) GTEST_SKIP() << "this user may not mount a small disk";
  EXPECT_EQ(*written, 0);
}

TEST(generate, every_value_is_the_same_number_in_text_and_in_memory) {
  for (std::uint32_t units = 1; units <= 1'000'000; ++units) {
    std::string text = std::to_string(1'000'000 + units);
    text = text.size() == 7 && text[0] == '1' ? "0." + text.substr(1) : "1";
    float read = 0.0f;
    std::from_chars(text.data(), text.data() + text.size(), read);
    ASSERT_EQ(read, static_cast<float>(static_cast<double>(units) / 1e6)) << units;
  }
}

TEST(generate, impossible_options_are_refused) {
  const auto refused = [](auto change) {
    options o = small();
    change(o);
    EXPECT_THROW(in_memory(o), config_error);
  };
  refused([](options& o) { o.rows = 0; });
  refused([](options& o) { o.columns = 7; });
  refused([](options& o) { o.nonzeros = 0.5; });
  refused([](options& o) { o.nonzeros = 2000; });
  refused([](options& o) { o.delta = 0.0; });
  refused([](options& o) { o.delta = 0.001; });
  refused([](options& o) { o.noise = 0.6; });
  refused([](options& o) { o.test_fraction = 1.0; });
  refused([](options& o) { o.length_spread = -1.0; });
  refused([](options& o) { o.zipf = 0.0; });
  refused([](options& o) { o.margin = -0.1; });
}

}  // namespace
}  // namespace hogwild::generate
