// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include <hogwild/dataset.hpp>
#include <hogwild/error.hpp>

#include "data/cache_format.hpp"
#include "support/file_size_limit.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "support/strangers.hpp"

namespace hogwild {
namespace {

using test::read_text;
using test::scratch_folder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string sample_text(int rows = 500) {
  std::string text;
  for (int n = 0; n < rows; ++n)
    text += std::to_string(n % 2) + " " + std::to_string(1 + n % 7) + ":0.5 " + std::to_string(10 + n % 13) + ":2\n";
  return text;
}

/// Opens a file and collects the notes for the user.
struct opening {
  explicit opening(const std::string& path, open_options options = {}) : data(open(path, options)) {}
  sparse_dataset open(const std::string& path, open_options& options) {
    options.threads = 1;
    options.note = [this](std::string_view sentence) { notes.emplace_back(sentence); };
    return open_libsvm(path, options);
  }
  std::vector<std::string> notes;
  sparse_dataset data;
};

class dataset_cache : public ::testing::Test {
 protected:
  const scratch_folder folder;
  const std::string source = folder.write("train.svm", sample_text());
  const std::string cache = source + ".hogwild";

  void change_cache(std::size_t place, char flip) const {
    std::string bytes = read_text(cache);
    bytes[place] = static_cast<char>(bytes[place] ^ flip);
    folder.write("train.svm.hogwild", bytes);
  }
  /// Expects one rebuild with one note that contains `reason`, and none at the next start.
  void expect_rebuilt(const char* reason) const {
    const opening again(source);
    EXPECT_FALSE(again.data.from_cache());
    EXPECT_THAT(again.notes, ElementsAre(HasSubstr(reason)));
    const opening warm(source);
    EXPECT_TRUE(warm.data.from_cache());
    EXPECT_TRUE(warm.notes.empty());
    EXPECT_EQ(folder.entries(), 2u);
  }
};

TEST_F(dataset_cache, the_second_start_maps_what_the_first_wrote) {
  const opening cold(source), warm(source);
  EXPECT_FALSE(cold.data.from_cache());
  EXPECT_TRUE(warm.data.from_cache());
  EXPECT_TRUE(cold.notes.empty() && warm.notes.empty());
  EXPECT_EQ(cold.data.shared_path(), cache);
  EXPECT_EQ(warm.data.shared_path(), cache);
  EXPECT_EQ(warm.data.rows(), 500u);
  EXPECT_EQ(warm.data.nonzeros(), 1000u);
  warm.data.verify();
  const sparse_view a = cold.data.view(), b = warm.data.view();
  EXPECT_TRUE(std::ranges::equal(a.index16, b.index16));
  EXPECT_TRUE(std::equal(a.label.begin(), a.label.end(), b.label.begin(), b.label.end()));
}

TEST_F(dataset_cache, a_changed_source_is_read_again) {
  opening{source};
  folder.write("train.svm", sample_text(501));
  expect_rebuilt("another size");
  std::filesystem::last_write_time(source, std::filesystem::last_write_time(source) + std::chrono::nanoseconds(1));
  expect_rebuilt("before the source was last written");
}

TEST_F(dataset_cache, one_of_another_version_size_or_checksum_is_rebuilt) {
  opening{source};
  change_cache(offsetof(detail::cache_header, version), 1);
  expect_rebuilt("has version 4, not 5 or 6; the data are read again");
  change_cache(offsetof(detail::cache_header, rows), 1);
  expect_rebuilt("damaged header");
  change_cache(offsetof(detail::cache_header, checksum), 1);
  expect_rebuilt("damaged header");
  const std::string whole = read_text(cache);
  folder.write("train.svm.hogwild", whole.substr(0, whole.size() - 4096));
  expect_rebuilt("torn");
  folder.write("train.svm.hogwild", whole.substr(0, 100));
  expect_rebuilt("torn");
  folder.write("train.svm.hogwild", "");
  expect_rebuilt("empty");
}

TEST_F(dataset_cache, temporary_file_of_a_killed_process_is_removed_by_the_next_one) {
  const std::filesystem::path mine = folder.write("train.svm.hogwild.aB3xYz.aside", "half");
  const std::filesystem::path of_another = folder.write("test.svm.hogwild.aB3xYz.aside", "of another source");
  opening{source};
  EXPECT_FALSE(std::filesystem::exists(mine));
  EXPECT_TRUE(std::filesystem::exists(of_another));
}

// Rows with the columns of another dataset are not checked by numbers of their own.
TEST_F(dataset_cache, that_says_it_has_the_columns_of_another_dataset_is_rebuilt) {
  opening{source};
  std::string bytes = read_text(cache);
  detail::cache_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.numbered = 1;
  header.checksum = detail::header_checksum(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  folder.write("train.svm.hogwild", bytes);
  expect_rebuilt("was made with other options");
}

// A writer can set the modification time of a file, but not the change time.
TEST_F(dataset_cache, a_source_that_was_changed_and_given_its_old_time_is_read_again) {
  opening{source};
  const auto written = std::filesystem::last_write_time(source);
  std::string other = sample_text();
  other[0] = '1';
  folder.write("train.svm", other);
  std::filesystem::last_write_time(source, written);
  expect_rebuilt("before the source was last written, moved or changed");
}

/// A cache that somebody else can change at any moment.
class cache_of_others : public dataset_cache {
 protected:
  cache_of_others() {
    opening{source};
    test::let_others_change(cache);
  }
  const open_options elsewhere{.cache_folder = folder.path() / "own"};
};

TEST_F(cache_of_others, is_not_used_and_one_is_made_where_it_may_be) {
  const std::string bytes = read_text(cache);
  const opening first(source, elsewhere);
  EXPECT_FALSE(first.data.from_cache());
  const opening second(source, elsewhere);
  EXPECT_TRUE(second.data.from_cache());
  EXPECT_TRUE(second.notes.empty());
  if (!test::may_give_away()) {  // the cache is this user's own, and its mode was too wide
    EXPECT_THAT(first.notes, ElementsAre(HasSubstr("may be written by everybody (its mode is 0666)")));
    EXPECT_EQ(second.data.shared_path(), cache);
    return;
  }
  EXPECT_THAT(first.notes, ElementsAre(HasSubstr("belongs to user 65533, who can change it; the data are read again"),
                                       HasSubstr("belongs to user 65533 and stays as it is")));
  EXPECT_EQ(std::filesystem::path(second.data.shared_path()).parent_path(), elsewhere.cache_folder);
  EXPECT_TRUE(read_text(cache) == bytes);
  EXPECT_THAT(opening(source).notes, ::testing::Contains(HasSubstr("the data stay in memory")));
}

TEST_F(cache_of_others, in_the_place_of_ones_own_leaves_another_name) {
  if (!test::may_give_away()) GTEST_SKIP() << "only root can make a file of another user";
  const std::string own = opening(source, elsewhere).data.shared_path();
  test::let_others_change(own);
  const opening again(source, elsewhere), once_more(source, elsewhere);
  EXPECT_FALSE(again.data.from_cache());
  EXPECT_TRUE(once_more.data.from_cache());
  EXPECT_THAT(once_more.data.shared_path(), HasSubstr("-0.hogwild"));
}

TEST_F(cache_of_others, is_not_mapped_by_name) {
  EXPECT_THAT(test::message_of<input_error>([&] { sparse_dataset::map(cache); }), HasSubstr("make a copy of your own"));
}

TEST_F(dataset_cache, behind_a_link_of_others_is_not_used) {
  opening{source};
  std::filesystem::rename(cache, folder / "kept");
  std::filesystem::create_symlink("kept", cache);
  EXPECT_TRUE(opening(source).data.from_cache());
  if (!test::may_give_away()) GTEST_SKIP() << "only root can make a link of another user";
  test::let_others_change(cache);
  const opening again(source);
  EXPECT_FALSE(again.data.from_cache());
  EXPECT_THAT(again.notes, ::testing::Contains(HasSubstr("is reached through the link train.svm.hogwild of user")));
}

TEST_F(dataset_cache, another_file_in_its_place_stays_as_it_is) {
  folder.write("train.svm.hogwild", "what somebody else keeps here");
  const opening kept(source);
  EXPECT_FALSE(kept.data.from_cache());
  EXPECT_THAT(kept.notes, ElementsAre(HasSubstr("is another file, which stays as it is")));
  EXPECT_EQ(read_text(cache), "what somebody else keeps here");
}

TEST_F(dataset_cache, rebuild_reads_the_text_again_without_a_word) {
  opening{source};
  const opening again(source, {.cache = open_options::cache_use::rebuild});
  EXPECT_FALSE(again.data.from_cache());
  EXPECT_TRUE(again.notes.empty());
}

TEST_F(dataset_cache, none_writes_nothing) {
  const opening data(source, {.cache = open_options::cache_use::none});
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_THAT(data.data.shared_path(), HasSubstr("/proc/"));
  EXPECT_EQ(sparse_dataset::map(data.data.shared_path()).rows(), 500u);
}

TEST_F(dataset_cache, files_read_through_a_numbering_have_one_of_their_own_each) {
  const opening train(source);
  const column_numbering other(std::vector<std::uint32_t>{1, 2});
  const open_options through_train{.numbering = &train.data.numbering()}, through_other{.numbering = &other};
  EXPECT_FALSE(opening(source, through_train).data.from_cache());
  EXPECT_FALSE(opening(source, through_other).data.from_cache());
  EXPECT_EQ(folder.entries(), 4u);
  EXPECT_TRUE(opening(source).data.from_cache());
  EXPECT_TRUE(opening(source, through_train).data.from_cache());
  const opening warm(source, through_other);
  EXPECT_TRUE(warm.data.from_cache());
  EXPECT_EQ(warm.data.features(), 2u);
  EXPECT_GT(warm.data.unknown_entries(), 0u);
}

TEST_F(dataset_cache, half_values_are_another_reading) {
  const std::string tenths = folder.write("tenths.svm", "1 1:0.1\n2 2:0.3\n");
  const open_options half_values{.values = value_precision::half};
  EXPECT_FALSE(opening(tenths).data.from_cache());
  EXPECT_FALSE(opening(tenths, half_values).data.from_cache());
  EXPECT_FALSE(opening(tenths).data.values_rounded());
  const opening warm(tenths, half_values);
  EXPECT_TRUE(warm.data.from_cache());
  EXPECT_TRUE(warm.data.values_rounded());
}

TEST_F(dataset_cache, optional_labels_are_another_reading) {
  opening{source};
  EXPECT_FALSE(opening(source, {.labels_optional = true}).data.from_cache());
  EXPECT_TRUE(opening(source).data.from_cache());
}

TEST_F(dataset_cache, malformed_text_leaves_nothing_behind) {
  const std::string bad = folder.write("bad.svm", sample_text() + "1 3:nan\n");
  EXPECT_THROW(opening{bad}, format_error);
  EXPECT_EQ(folder.entries(), 2u);
  const std::string torn = folder.write("torn.svm.gz", std::string("\x1f\x8b\x08\x00", 4));
  EXPECT_THROW(opening{torn}, input_error);
  EXPECT_EQ(folder.entries(), 3u);
}

TEST_F(dataset_cache, where_the_source_has_no_room_the_fallback_folder_is_used) {
  // The name is so long that no suffix fits: nobody, not even root, can have a cache beside it.
  const std::string long_name = folder.write(std::string(252, 'n'), sample_text());
  const opening memory(long_name);
  EXPECT_THAT(memory.notes, ElementsAre(HasSubstr("stay in memory")));
  EXPECT_THAT(memory.data.shared_path(), HasSubstr("/proc/"));
  const open_options options{.cache_folder = folder.path() / "new" / "caches"};
  const opening cold(long_name, options), warm(long_name, options);
  EXPECT_THAT(cold.notes, ElementsAre(HasSubstr("the cache goes to ")));
  EXPECT_TRUE(warm.data.from_cache());
  EXPECT_TRUE(warm.notes.empty());
  EXPECT_EQ(std::filesystem::path(warm.data.shared_path()).parent_path(), options.cache_folder);
}

TEST_F(dataset_cache, a_flipped_byte_in_any_section_is_found_by_its_reader) {
  opening{source};
  const std::string whole = read_text(cache);
  detail::cache_header header;
  std::memcpy(&header, whole.data(), sizeof header);
  std::size_t sections = 0;
  for (const detail::section_entry& section : header.sections) {
    if (section.bytes == 0) continue;
    ++sections;
    for (const std::uint64_t place :
         {section.offset, section.offset + section.bytes / 2, section.offset + section.bytes - 1}) {
      std::string damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ 0x40);
      const std::string path = folder.write("damaged", damaged);
      try {
        sparse_dataset::map(path).verify();
        ADD_FAILURE() << "section " << static_cast<int>(section.kind) << ", byte " << place - section.offset;
      } catch (const cache_error& fault) {
        EXPECT_EQ(fault.path(), path);
        EXPECT_THAT(fault.what(), HasSubstr("delete it"));
      }
    }
  }
  EXPECT_EQ(sections, 8u);
}

TEST_F(dataset_cache, only_the_blocks_that_are_read_are_checked) {
  const std::string large = folder.write("large.svm", sample_text(60'000));
  opening{large};
  std::string bytes = read_text(large + ".hogwild");
  detail::cache_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  ASSERT_GE(header.blocks(), 4u);
  const auto& value = *std::ranges::find(header.sections, detail::section_kind::value, &detail::section_entry::kind);
  bytes[value.offset + value.bytes - 1] ^= 1;  // of the last block
  const sparse_dataset data = sparse_dataset::map(folder.write("damaged", bytes));
  const sparse_view view = data.view();
  view.ensure(0, view.rows() - header.rows_per_block);
  view.slice(100, 200).ensure(0, 100);
  EXPECT_THROW(view.ensure(view.rows() - 1, view.rows()), cache_error);
  EXPECT_THROW(view.slice(view.rows() - 10, view.rows()).ensure(9, 10), cache_error);
}

TEST_F(dataset_cache, many_first_readers_agree) {
  const std::string large = folder.write("large.svm", sample_text(60'000));
  const opening cold(large);
  const sparse_dataset data = sparse_dataset::map(cold.data.shared_path());
  std::atomic<std::size_t> sum{0};
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < 4; ++t)
      readers.emplace_back([&] {
        const sparse_view view = data.view();
        for (std::size_t r = 0; r < view.rows(); r += 100) view.ensure(r, r + 100);
        sum += data.numbering().size();
      });
  }
  EXPECT_EQ(sum, 4 * data.features());
}

TEST_F(dataset_cache, many_builders_at_once_leave_one_whole_cache) {
  {
    std::vector<std::jthread> builders;
    for (int t = 0; t < 4; ++t) builders.emplace_back([&] { opening(source).data.verify(); });
  }
  EXPECT_EQ(folder.entries(), 2u);
  EXPECT_TRUE(opening(source).data.from_cache());
}

TEST_F(dataset_cache, sections_begin_on_cache_lines) {
  opening{source};
  const std::string bytes = read_text(cache);
  detail::cache_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (const detail::section_entry& section : header.sections) EXPECT_EQ(section.offset % 64, 0u);
  EXPECT_EQ(header.file_bytes, bytes.size());
}

// Shared memory counts as a file, too.
TEST_F(dataset_cache, a_limit_on_file_sizes_is_told_and_nothing_is_left) {
  const auto size = static_cast<rlim_t>(std::filesystem::file_size((opening(source), cache)));
  std::filesystem::remove(cache);
  for (const auto use : {open_options::cache_use::automatic, open_options::cache_use::none}) {
    for (const rlim_t most :
         {rlim_t{500}, size - 1}) {  // too little for the space claimed at first, and for the data packed at the end
      const std::string said = test::message_of<resource_error>([&] {
        const test::file_size_limit limit(most);
        const opening refused(source, {.cache = use});
      });
      EXPECT_THAT(said, HasSubstr("only " + std::to_string(most) + " here; raise the limit (ulimit -f)"));
      EXPECT_EQ(folder.entries(), 1u);
    }
  }
}

}  // namespace
}  // namespace hogwild
