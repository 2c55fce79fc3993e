// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class cache_files : public with_small_data {
 protected:
  /// A copy of the training data in a folder of its own.
  cache_files() { std::filesystem::copy_file(train(), data); }

  std::vector<std::filesystem::path> caches() const {
    std::vector<std::filesystem::path> found;
    for (const auto& c : result_of({"cache --json", own.path()})) {
      found.emplace_back(c["path"].get<std::string>());
    }
    return found;
  }

  scratch_folder own;
  const std::string data = own / "data.svm";
};

TEST_F(cache_files, are_listed_inspected_and_purged) {
  EXPECT_TRUE(caches().empty());
  ASSERT_EQ(hogwild({"train", data, "--epochs 1 --quiet --save", own / "model.hogwild"}).code, 0);
  ASSERT_EQ(caches().size(), 1u);
  EXPECT_THAT(hogwild({"cache --list", own.path().string()}).out, HasSubstr("1 caches"));

  const auto facts = result_of({"inspect --verify --json", caches().front()});
  EXPECT_EQ(facts["kind"], "dataset cache");
  EXPECT_EQ(facts["rows"], lines_of(read_file(data)).size());
  EXPECT_EQ(facts["labels"].size(), 2u);
  EXPECT_EQ(facts["verified"], true);

  EXPECT_EQ(hogwild({"cache --purge", own.path().string()}).code, 0);
  EXPECT_TRUE(caches().empty());
  EXPECT_TRUE(std::filesystem::exists(data));
  const auto model = result_of({"inspect --json", own / "model.hogwild"});
  EXPECT_EQ(model["kind"], "model") << "a file that is no cache survives, whatever its name";
}

TEST_F(cache_files, are_not_made_where_they_are_not_wanted) {
  ASSERT_EQ(hogwild({"train", data, "--epochs 1 --quiet --no-cache"}).code, 0);
  EXPECT_TRUE(caches().empty());
}

TEST_F(cache_files, are_the_same_whatever_memory_parsing_may_take) {
  std::string rows;
  for (int k = 0; rows.size() < (std::size_t{9} << 20); ++k)
    rows += (k % 2 == 0 ? "1 " : "-1 ") + std::to_string(1 + k % 7) + ":1 9:1 11:" + std::to_string(k % 5) + "\n";
  write_file(data, rows);
  ASSERT_EQ(hogwild({"train", data, "--epochs 1 --quiet"}).code, 0);
  const std::string whole = read_file(caches().front());
  std::filesystem::remove(caches().front());
  const outcome little = hogwild({"train", data, "--epochs 1 --quiet --memory 18M"});
  ASSERT_EQ(little.code, 0) << little.err;
  ASSERT_EQ(caches().size(), 1u);
  EXPECT_TRUE(read_file(caches().front()) == whole);
  std::filesystem::remove(caches().front());
}

TEST_F(cache_files, that_are_larger_than_memory_train_the_same_model_and_say_how_long_the_disk_took) {
  std::string rows;
  for (int k = 0; rows.size() < (std::size_t{36} << 20); ++k) {
    rows += k % 2 == 0 ? "1" : "-1";
    for (int j = 1; j <= 40; ++j) rows += " " + std::to_string(j) + ":0." + std::to_string((k * j) % 97);
    rows += "\n";
  }
  write_file(data, rows);
  const auto train = [&](const command_words& how) {
    return result_of({"train", data, "--engine serial --epochs 2 --step 0.1 --quiet --json", how});
  };
  const auto held = train({"--save", own / "held.txt"});
  const auto streamed = train({"--save", own / "streamed.txt", "--memory 16M --record", own / "record.jsonl"});
  if (std::filesystem::file_size(caches().front()) <= std::size_t{16} << 20) GTEST_FAIL() << "the cache is too small";
  EXPECT_TRUE(read_file(own / "held.txt") == read_file(own / "streamed.txt"));
  EXPECT_FALSE(held.contains("disk_wait_seconds"));
  if (!streamed.contains("disk_wait_seconds")) GTEST_SKIP() << "the folder for tests is no disk";
  EXPECT_GT(streamed["disk_wait_seconds"], 0.0);
  EXPECT_THAT(read_file(own / "record.jsonl"), HasSubstr("disk_wait_seconds"));
}

TEST_F(cache_files, that_are_damaged_cost_a_sentence) {
  const command_words command = {"train", data, "--engine serial --epochs 3 --save", own / "m.txt"};
  ASSERT_EQ(hogwild(command).code, 0);
  const std::string sound = read_file(own / "m.txt");
  const std::string cache = caches().front();
  std::string bytes = read_file(cache);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x40);
  write_file(cache, bytes);
  EXPECT_EQ(hogwild({"inspect --verify", cache}).code, 3);

  expect_told(hogwild(command), 0, "it is removed, and the data are read again");
  EXPECT_TRUE(read_file(own / "m.txt") == sound);
  EXPECT_EQ(hogwild({"inspect --verify", cache}).code, 0);
}

TEST_F(cache_files, go_elsewhere_where_the_name_leaves_no_room) {
  // A name of 250 letters is allowed, the cache's beside it is not.
  const std::string longer = own / std::string(250, 'x');
  std::filesystem::rename(data, longer);
  const std::filesystem::path elsewhere = own / "elsewhere";
  const outcome o = hogwild({"train", longer, "--epochs 1 --cache-dir", elsewhere});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("the cache goes to " + elsewhere.string()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(elsewhere), {}), 1);
  EXPECT_EQ(hogwild({"train", longer, "--epochs 1 --cache-dir", elsewhere}).err.find("cache"), std::string::npos)
      << "the second run uses it";
}

TEST_F(cache_files, go_elsewhere_where_the_folder_is_read_only) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write into every folder";
  std::filesystem::permissions(own.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const outcome o = hogwild({"train", data, "--epochs 1"});
  std::filesystem::permissions(own.path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("the cache goes to "));
}

}  // namespace
}  // namespace hogwild::test
