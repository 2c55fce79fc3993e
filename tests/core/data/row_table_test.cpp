// SPDX-License-Identifier: Apache-2.0
#include "data/row_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "data/packed_numbers.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;
using numbers = std::vector<std::uint64_t>;

numbers pack(const numbers& all) {
  detail::number_packer packer;
  for (const std::uint64_t n : all) packer.add(n);
  return std::move(packer).finish();
}

/// `count` ones and zeros.
numbers several(std::size_t count) {
  numbers all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(k % 2);
  return all;
}

void write_header(std::string& file, detail::cache_header& header) {
  header.checksum = detail::header_checksum(header);
  std::memcpy(file.data(), &header, sizeof header);
}

/// A sound cache with one section replaced, and checksums that hold.
class changed_cache {
 public:
  changed_cache(std::string file, detail::section_kind kind, const numbers& section) : file_(std::move(file)) {
    detail::cache_header header;
    std::memcpy(&header, file_.data(), sizeof header);
    for (detail::section_entry& entry : header.sections) {
      if (entry.kind != kind) continue;
      file_.resize((file_.size() + detail::section_alignment - 1) / detail::section_alignment *
                   detail::section_alignment);
      entry.offset = file_.size();
      entry.bytes = section.size() * 8;
      entry.checksum = detail::checksum(std::span(section));
      file_.append(reinterpret_cast<const char*>(section.data()), entry.bytes);
      header.file_bytes = file_.size();
    }
    write_header(file_, header);
  }

  const std::string& file() const { return file_; }

  /// The error message for a reader that maps the file and reads all of it; empty if it is sound.
  std::string fault() const {
    const test::scratch_folder folder;
    const std::string path = folder.write("changed", file_);
    const std::string said = test::message_of<cache_error>([&] { sparse_dataset::map(path).verify(); });
    if (said == "accepted") return {};
    EXPECT_THAT(said, HasSubstr("delete it and open the source again"));
    return said;
  }

 private:
  std::string file_;
};

class row_table : public ::testing::Test {
 protected:
  using kind = detail::section_kind;
  const sparse_dataset good = sparse_dataset::copy_of(parse_libsvm("1 1:1 3:2\n2\n1 2:5 3:7\n").view());
  const std::string sound = test::read_text(good.shared_path());

  std::string fault_with(kind section, const numbers& content) const {
    return changed_cache(sound, section, pack(content)).fault();
  }
};

TEST_F(row_table, other_rows_with_the_same_entries_hold) {
  EXPECT_EQ(fault_with(kind::row_length, {2, 0, 2}), "");
  EXPECT_EQ(fault_with(kind::label_code, {1, 1, 0}), "");
  EXPECT_THAT(fault_with(kind::degree_step, {2, 2, 2}), HasSubstr("column counts"));
}

TEST_F(row_table, lengths_that_do_not_add_up_to_the_entries_are_damage) {
  for (const numbers& lengths : std::vector<numbers>{{2, 0, 1}, {2, 0, 3}, {5, 0, 0}, {2, 1ull << 55, 2}})
    EXPECT_THAT(fault_with(kind::row_length, lengths), HasSubstr("has a damaged table of rows"));
}

TEST_F(row_table, codes_beyond_the_labels_are_damage) {
  EXPECT_THAT(fault_with(kind::label_code, {0, 2, 0}), HasSubstr("has a damaged table of rows"));
  EXPECT_THAT(fault_with(kind::label_code, {0, 256, 0}), HasSubstr("has a damaged table of rows"));
}

TEST_F(row_table, tables_of_another_length_are_damage) {
  EXPECT_THAT(fault_with(kind::row_length, several(600)), HasSubstr("has a damaged table of rows"));
  EXPECT_THAT(fault_with(kind::label_code, several(600)), HasSubstr("has a damaged table of rows"));
  EXPECT_THAT(changed_cache(sound, kind::row_length, {}).fault(), HasSubstr("has a damaged table of rows"));
  EXPECT_THAT(changed_cache(sound, kind::row_length, {~0ull, ~0ull}).fault(), HasSubstr("damaged table of rows"));
}

TEST_F(row_table, lists_of_labels_that_cannot_be_are_damage) {
  const sparse_dataset listed = sparse_dataset::copy_of(parse_libsvm("5,3 1:1 3:2\n4\n5,4,3 2:5 3:7\n").view());
  const std::string file = test::read_text(listed.shared_path());
  // Labels 3, 4, 5 as their numbers, doubled, plus 1 at the end of a row.
  const auto fault = [&](std::uint64_t count, const numbers& codes) {
    numbers words = pack(codes);
    words.insert(words.begin(), count);
    return changed_cache(file, kind::label_list, words).fault();
  };
  EXPECT_EQ(fault(6, {0, 5, 3, 0, 2, 5}), "");
  EXPECT_EQ(fault(4, {0, 5, 3, 5}), "");
  for (const auto& [count, codes] :
       std::vector<std::pair<std::uint64_t, numbers>>{{6, {0, 5, 3, 0, 2, 7}},  // a label that is not in the table
                                                      {6, {4, 1, 3, 0, 2, 5}},  // not ascending
                                                      {6, {0, 1, 3, 0, 2, 5}},  // the same twice
                                                      {6, {0, 5, 3, 0, 2, 4}},  // no end of the last row
                                                      {6, {0, 5, 3, 1, 2, 5}},  // a row too many
                                                      {4, {0, 2, 5, 3}},        // a row too few
                                                      {5, {0, 5, 3, 0, 2, 5}},  // a label too few
                                                      {2, {1, 3}},              // fewer labels than rows
                                                      {~0ull, {0, 5, 3, 0, 2, 5}}})
    EXPECT_THAT(fault(count, codes), HasSubstr("has a damaged table of rows")) << count << " " << codes.size();
  EXPECT_THAT(changed_cache(file, kind::label_list, {}).fault(), HasSubstr("has a damaged table of rows"));
}

TEST_F(row_table, columns_that_cannot_be_are_damage) {
  EXPECT_THAT(fault_with(kind::degree_step, {1, 0, 0}), HasSubstr("damaged in its column counts"));
  EXPECT_THAT(fault_with(kind::original_step, several(600)), HasSubstr("damaged in its column numbers"));
}

TEST_F(row_table, more_rows_than_its_bytes_can_say_are_refused_before_memory_is_asked_for) {
  std::string file = sound;
  detail::cache_header header;
  std::memcpy(&header, file.data(), sizeof header);
  header.rows = detail::most_packed(file.size());
  write_header(file, header);
  EXPECT_EQ(detail::header_fault(std::as_bytes(std::span(file))), "has a damaged section table");
  ++header.rows;
  write_header(file, header);
  EXPECT_EQ(detail::header_fault(std::as_bytes(std::span(file))), "has impossible sizes");
}

TEST_F(row_table, a_damaged_one_is_rebuilt_from_the_source) {
  const test::scratch_folder folder;
  const std::string source = folder.write("t.svm", "1 1:1 3:2\n2\n1 2:5 3:7\n");
  std::vector<std::string> notes;
  const open_options options{.threads = 1, .note = [&](std::string_view said) { notes.emplace_back(said); }};
  EXPECT_FALSE(open_libsvm(source, options).from_cache());
  const std::string cache = test::read_text(source + ".hogwild");
  for (const numbers& lengths : std::vector<numbers>{{2, 0, 3}, several(600)}) {
    folder.write("t.svm.hogwild", changed_cache(cache, kind::row_length, pack(lengths)).file());
    notes.clear();
    EXPECT_FALSE(open_libsvm(source, options).from_cache());
    EXPECT_THAT(notes, ::testing::ElementsAre(HasSubstr("has a damaged table of rows; the data are read again")));
    EXPECT_TRUE(open_libsvm(source, options).from_cache());
  }
}

TEST_F(row_table, starts_beyond_32_bits_are_as_wide_as_they_need_to_be) {
  const std::uint64_t half = (1ull << 31) + 1;
  for (const std::uint64_t more : {0ull, 1ull << 31}) {
    detail::cache_header header;
    header.rows = 3;
    header.nonzeros = half + more;
    detail::cache_arrays arrays(std::as_bytes(std::span(sound)));
    arrays.header = header;
    const numbers lengths = pack({half, 0, more});
    arrays.row_length = std::as_bytes(std::span(lengths));
    const auto table = detail::row_table::unpack(arrays);
    ASSERT_TRUE(table);
    EXPECT_THAT(table->starts(), ::testing::ElementsAre(0, half, half, half + more));
    EXPECT_EQ(table->starts().narrow().empty(), more > 0);
    EXPECT_EQ(table->pack_lengths(), lengths);
    EXPECT_TRUE(table->codes().empty());
  }
}

RC_GTEST_PROP(row_tables, of_any_rows_come_back, ()) {
  const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange(0, 40)));
  const auto labels = *rc::gen::inRange(1, 300);
  libsvm_rows rows;
  rows.columns = 40;
  rows.row_start = {0};
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    for (std::uint32_t j = 0; j < lengths[r]; ++j) rows.index.push_back(j), rows.value.push_back(1.0f);
    rows.row_start.push_back(rows.index.size());
    rows.label.push_back(static_cast<double>(*rc::gen::inRange(0, labels)));
  }
  const sparse_dataset copy = sparse_dataset::copy_of(rows.view());
  const sparse_dataset mapped = sparse_dataset::map(copy.shared_path());
  mapped.verify();
  const sparse_view view = mapped.view();
  RC_ASSERT(std::ranges::equal(view.row_start, rows.row_start));
  RC_ASSERT(std::ranges::equal(view.label, rows.label));
}

}  // namespace
}  // namespace hogwild
