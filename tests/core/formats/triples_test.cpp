// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/triples.hpp>

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

/// "head relation tail" of each row, without what the numbering does not know.
std::vector<std::string> triples_of(const sparse_dataset& data, const triple_names& names) {
  std::vector<std::string> found;
  const sparse_view rows = data.view();
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    std::string line;
    for (const std::uint32_t j : cursor.row(r).index) {
      const std::uint32_t column = rows.original[j];
      line +=
          (line.empty() ? "" : " ") + (is_entity_column(column) ? names.entities : names.relations)[triple_id(column)];
    }
    found.push_back(line);
    EXPECT_EQ(rows.label[r], 0.0);
  }
  return found;
}

struct triple_files : testing::Test {
  test::scratch_folder folder;
  triple_names names;
  std::vector<std::string> notes;

  sparse_dataset open(const std::string& text, const column_numbering* numbering = nullptr) {
    return open_triples(folder.write("triples.txt", text), names,
                        {.numbering = numbering, .note = [this](std::string_view note) { notes.emplace_back(note); }});
  }
};

TEST_F(triple_files, have_three_fields_between_tabs_or_blanks) {
  const struct {
    const char* text;
    std::vector<std::string> triples;
  } files[] = {
      {"ann\tknows\tbob\nbob\tknows\tann\n", {"ann knows bob", "bob knows ann"}},
      {"ann knows bob\r\n\n  bob  likes  bob \n", {"ann knows bob", "bob likes bob"}},
      {"New York\tis in\tUSA\n\"x\"@en\t#r\t# y\n", {"New York is in USA", "\"x\"@en #r # y"}},
      {"00260881\t1\t01\n1\t01\t1\n", {"00260881 1 01", "1 01 1"}},
      {"<http://a#x>\t__label__r\t5:1\n", {"<http://a#x> __label__r 5:1"}},
      {"Head\tRelation\tTail\na\tr\tb", {"a r b"}},
      {"subject predicate object\na r b\n", {"a r b"}},
  };
  for (const auto& file : files) {
    names = {};
    EXPECT_THAT(triples_of(open(file.text), names), UnorderedElementsAreArray(file.triples)) << file.text;
  }
  EXPECT_THAT(notes, ElementsAre(HasSubstr("line 1 is a header"), HasSubstr("line 1 is a header")));
}

TEST_F(triple_files, name_entities_and_relations_apart_in_the_order_of_bytes) {
  const sparse_dataset data = open("b\tz\ta\na\tb\ta\nb\tb\ta\n");
  EXPECT_THAT(names.entities, ElementsAre("a", "b"));
  EXPECT_THAT(names.relations, ElementsAre("b", "z"));
  EXPECT_THAT(data.view().original,
              ElementsAre(entity_column(0), entity_column(1), relation_column(0), relation_column(1)));
  EXPECT_THAT(data.view().degree, ElementsAre(4, 2, 2, 1));
  EXPECT_EQ(count_entities(data.view().original), 2u);
  EXPECT_FALSE(data.from_cache());
  data.verify();
}

TEST_F(triple_files, of_unknown_names_lack_their_entries_and_are_counted) {
  const sparse_dataset training = open("a\tr\tb\nb\ts\tc\n");
  const sparse_dataset test = open("a\ts\tc\nnew\tr\ta\na\tnew\tc\na\tr\tnew\n", &training.numbering());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("3 of 4 triples have an entity or a relation that the training data")));
  EXPECT_THAT(triples_of(test, names), ElementsAre("a s c", "r a", "a c", "a r"));
  EXPECT_EQ(test.unknown_entries(), 3u);
  EXPECT_THAT(names.entities, ElementsAre("a", "b", "c", "new"));
}

TEST_F(triple_files, say_what_is_wrong_and_where) {
  const test::faulty_text faults[] = {
      {"", 1, 1, "there are no rows"},
      {"a\tr\tb\na\tr\n", 2, 4, "the line has 2 fields between tabs, but a triple has three: head, relation and tail"},
      {"a\tr\tb\na r b\n", 2, 6, "the line has 1 field between tabs"},
      {"a r b\na r b c\n", 2, 7, "the line has 4 fields between blanks"},
      {"a\t\tb\n", 1, 3, "the relation is missing"},
      {"\tr\tb\n", 1, 1, "the head is missing"},
      {"a\tr\t\n", 1, 5, "the tail is missing"},
      {"a\tr\tb\x01\n", 1, 5, "a control character in the name of the tail 'b\\x01'"},
      {std::string(256, 'x') + " r b\n", 1, 1, "the name of the head has 256 bytes"},
  };
  for (const test::faulty_text& bad : faults) test::expect_refused(bad, [&] { open(bad.text); });
}

TEST_F(triple_files, are_read_compressed) {
  const std::string path = (folder / "triples.gz").string();
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  EXPECT_GT(gzputs(file, "a r b\n"), 0);
  gzclose(file);
  EXPECT_EQ(open_triples(path, names).rows(), 1u);
}

}  // namespace
}  // namespace hogwild
