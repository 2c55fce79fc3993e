// SPDX-License-Identifier: Apache-2.0
// The kind of a file, by its first bytes and lines; and each reader's error for files of another kind.
#include <hogwild/formats/file_kind.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../archives.hpp"
#include "../readers.hpp"
#include "data/cache_format.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using namespace std::string_literals;
using test::refusal_as;
using test::scratch_folder;
using ::testing::HasSubstr;

struct sample {
  std::string bytes;
  file_kind kind;
};

std::string utf16_of(std::string_view text, bool little, bool mark) {
  std::string bytes = mark ? (little ? "\xff\xfe"s : "\xfe\xff"s) : ""s;
  for (const char c : text) bytes += little ? std::string{c, '\0'} : std::string{'\0', c};
  return bytes;
}

std::string zip_of(std::string_view name) {
  std::string bytes = "PK\x03\x04"s + std::string(22, '\0');
  bytes += static_cast<char>(name.size());
  bytes += '\0';
  return bytes + "\0\0"s + std::string(name) + "data";
}

std::string tar_of() {
  std::string bytes = "rows.svm" + std::string(249, '\0') + "ustar\0"s;
  return bytes + std::string(512 - bytes.size(), '\0');
}

std::vector<sample> binary_samples() {
  return {
      {"PAR1\x15\x04\x15\x10"s, file_kind::parquet},
      {"ARROW1\0\0\xff\xff\xff\xff"s, file_kind::arrow},
      {"\xff\xff\xff\xff\x70\0\0\0\x10\0\0\0"s, file_kind::arrow},
      {"FEA1\0\0\0\0"s, file_kind::arrow},
      {"ORC\x0a\x03\0\0"s, file_kind::orc},
      {"Obj\x01\x04\x14"s, file_kind::avro},
      {"\x89HDF\r\n\x1a\n\0\0"s, file_kind::hdf5},
      {"\x80\x04\x95\x0e\0\0\0\0\0\0\0"s, file_kind::pickle},
      {"\x93NUMPY\x01\0v\0{'descr'"s, file_kind::npy},
      {zip_of("indices.npy"), file_kind::npz},
      {zip_of("train.csv"), file_kind::zip},
      {tar_of(), file_kind::tar},
      {"\x04\x22\x4d\x18\x64\x40\xa7"s, file_kind::other_compression},
      {"7z\xbc\xaf\x27\x1c\0\x04"s, file_kind::other_compression},
      {test::pack_gzip("1 1:1\n"), file_kind::packed_twice},
      {"SQLite format 3\0\x10\0"s, file_kind::sqlite},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, file_kind::picture},
      {"\xff\xd8\xff\xe0\0\x10JFIF"s, file_kind::picture},
      {"GIF89a\x01\0\x01\0"s, file_kind::picture},
      {"RIFF\x24\0\0\0WEBPVP8 "s, file_kind::picture},
      {"%PDF-1.7\n"s, file_kind::pdf},
      {"\x7f"
       "ELF\x02\x01\x01\0"s,
       file_kind::program},
      {utf16_of("1 1:0.5\n", true, true), file_kind::utf16},
      {utf16_of("1 1:0.5\n", false, true), file_kind::utf16},
      {utf16_of("1 1:0.5\n", true, false), file_kind::utf16},
      {"\xff\xfe\0\0\x31\0\0\0"s, file_kind::utf32},
      {std::string(detail::cache_magic.begin(), detail::cache_magic.end()) + "\x03\0\0\0"s, file_kind::dataset_cache},
      {"\x89HWMODL\n\x01\0"s, file_kind::binary_model},
      {"\x89HWCKPT\n\x01\0"s, file_kind::checkpoint}};
}

std::vector<sample> text_samples() {
  return {
      {"%%MatrixMarket matrix coordinate real general\n% by hand\n2 2 2\n1 1 0.5\n2 2 1\n", file_kind::matrix_market},
      {"__label__a the cat\n__label__b __label__c a mat\n", file_kind::labelled_text},
      {"1 |f a b:2 |g c\n-1 2.0 'tag|f d\n", file_kind::vowpal_wabbit},
      {"| a b c\n", file_kind::vowpal_wabbit},
      {"{\"label\": 1, \"x\": [1, 2]}\n", file_kind::json},
      {"<!DOCTYPE html>\n<html><body>404</body></html>\n", file_kind::markup},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n", file_kind::lfs_pointer},
      {"0,7,3,5\n1,2,9,4\n0,6,5,8\n", file_kind::table},
      {"y,x1,x2\n1,0.5,2\n0,1,7\n", file_kind::table},
      {"\"y\";\"x\"\n\"1\";\"0.5\"\n", file_kind::table},
      {"1\t0.5\t2\n0\t1\t\n", file_kind::table},
      {"1 0.5 2\n0 1 7\n", file_kind::table},
      {"1::10::5::964982703\n2::20::3::964982704\n", file_kind::table},
      {"hogwild model 1\nmodel logistic\n", file_kind::text_model},
      {"# by hand\n1 1:0.5\n\n-1 2:1 # two\n1\n", file_kind::libsvm},
      {"3,17,5 1:1 4:2\n 2:1\n", file_kind::libsvm},
      {"1:0.5 2:1\n", file_kind::libsvm},
      {"1 1:0.5\n-1 0:1 2:1\n", file_kind::libsvm_from_0},
      {"y,site,when\n1,a,2026-01-01 10:00\n0,b,2026-01-02 11:00\n", file_kind::table},
      {"mon,10:00 11:00 12:00\ntue,9:00 8:00 7:00\n", file_kind::table},
      {"spam,ham 1:1 2:1\nham 1:1\n", file_kind::libsvm},
      {"label f1 f2\n1 1:0.5\n-1 2:1\n", file_kind::libsvm_with_header},
      {"1 0:0:1 1:1:1\n0 0:1:1 1:2:1\n", file_kind::libffm},
      {"c a graph\np max 4 5\nn 1 s\n", file_kind::dimacs},
      {"4 2 2\nv 0 1\n", file_kind::labelled_graph}};
}

TEST(file_kinds, are_told_by_the_first_bytes_and_lines) {
  for (const auto& samples : {binary_samples(), text_samples()})
    for (const sample& s : samples) {
      const file_look look = look_at_bytes(s.bytes, true);
      EXPECT_EQ(static_cast<int>(look.kind), static_cast<int>(s.kind)) << s.bytes << look.what;
    }
  for (const sample& s : text_samples()) {
    EXPECT_EQ(static_cast<int>(look_at_bytes("\xef\xbb\xbf" + s.bytes, true).kind), static_cast<int>(s.kind))
        << s.bytes;
    std::string returns;
    for (const char c : s.bytes) returns += c == '\n' ? "\r\n"s : std::string(1, c);
    EXPECT_EQ(static_cast<int>(look_at_bytes(returns, true).kind), static_cast<int>(s.kind)) << s.bytes;
  }
}

TEST(file_kinds, are_unknown_where_nothing_tells) {
  for (const std::string& text : {""s, "1\n-1\n1\n"s, "the cat sat\n"s, "1 1:x\n"s, "ORCs live here\n"s, "BM 1\n"s,
                                  "PAR1\n"s, "1,2\n3\n"s, "1,2\n"s, "a,b 1:1\na 1:1 2:1\n"s, "\0\0\0\0\0\0\0\0\0\0"s})
    EXPECT_EQ(static_cast<int>(look_at_bytes(text, true).kind), static_cast<int>(file_kind::unknown))
        << text << look_at_bytes(text, true).what;
}

TEST(file_kinds, say_where_they_show) {
  const file_look zero = look_at_bytes("1 1:0.5\n-1 0:1 2:1\n", true);
  EXPECT_EQ(zero.line, 2u);
  EXPECT_EQ(zero.column, 4u);
  EXPECT_EQ(zero.evidence, "0:1");
}

TEST(file_kinds, are_not_told_by_half_a_line) {
  EXPECT_EQ(static_cast<int>(look_at_bytes("1 1:1\n1 2:2 3", false).kind), static_cast<int>(file_kind::libsvm));
  EXPECT_EQ(static_cast<int>(look_at_bytes("1 1:1\n1 2:2 3", true).kind), static_cast<int>(file_kind::unknown));
}

constexpr const char* text_readers[] = {"libsvm",  "ffm",    "ratings",   "named ratings", "graph",  "pairs",
                                        "triples", "corpus", "analogies", "vectors",       "weights"};

struct readers_of_text : testing::Test {
  const scratch_folder folder;
};

TEST_F(readers_of_text, say_what_a_binary_file_is) {
  for (const sample& s : binary_samples()) {
    if (s.kind == file_kind::packed_twice) continue;
    const std::string path = folder.write("other", s.bytes),
                      packed = folder.write("other.gz", test::pack_gzip(s.bytes));
    const std::string what(look_at_bytes(s.bytes, true).what);
    for (const char* const reader : text_readers) {
      const bool model_for_vectors = s.kind == file_kind::binary_model && reader == std::string("vectors");
      const std::string said =
          what + (model_for_vectors ? ", not word vectors; name a file in a format of word2vec" : "; ");
      EXPECT_THAT(refusal_as(reader, path), HasSubstr("other: this is " + said)) << reader;
      EXPECT_THAT(refusal_as(reader, packed), HasSubstr("other.gz: this is " + said)) << reader;
    }
  }
  const std::string twice = folder.write("rows.gz", test::pack_gzip(test::pack_gzip("1 1:1\n")));
  for (const char* const reader : text_readers)
    EXPECT_THAT(refusal_as(reader, twice), HasSubstr("compressed a second time; unpack it once")) << reader;
}

TEST_F(readers_of_text, skip_a_byte_order_mark) {
  const std::string mark = "\xef\xbb\xbf";
  const std::vector<std::string> texts = {"1 1:0.5\n-1 2:1\n",
                                          "1 0:0:1 1:1:1\n0 0:1:1\n",
                                          "1,2,3\n4,5,6\n",
                                          "ann,x,3\nbob,y,4\n",
                                          "2 1 2\nv 0 0\nv 1 1\ne 0 1\n",
                                          "1 2 3\n4 5\n",
                                          "a r b\n",
                                          "the cat the\nthe mat the\n",
                                          "a b c d\n",
                                          "2 1\nthe 0.5\ncat 1\n",
                                          "1\n2\n"};
  for (std::size_t k = 0; k < texts.size(); ++k)
    for (const std::string& path : {folder.write("plain", texts[k]), folder.write("marked", mark + texts[k]),
                                    folder.write("marked.gz", test::pack_gzip(mark + texts[k]))})
      EXPECT_EQ(refusal_as(text_readers[k], path), "accepted") << text_readers[k] << " " << path;
  const corpus words = open_corpus(folder.write("words", mark + "the cat the\n"), {.min_count = 1});
  EXPECT_EQ(words.words.word(0), "the");
  EXPECT_EQ(load_word_vectors(folder.write("vectors", mark + "2 1\nthe 0.5\ncat 1\n")).words[0], "the");
  EXPECT_EQ(read_row_numbers(folder.write("numbers", mark + "7\n2\n"), 2)[0], 7.0f);
  // In the middle of a file it is no mark.
  EXPECT_THAT(refusal_as("libsvm", folder.write("two", "1 1:0.5\n" + mark + "-1 2:1\n")), HasSubstr(":2:1: the label"));
}

TEST_F(readers_of_text, say_what_another_text_is_and_where_it_shows) {
  const auto says = [&](const char* reader, file_kind kind, const char* place) {
    for (const sample& s : text_samples()) {
      if (s.kind != kind) continue;
      const std::string said = refusal_as(reader, folder.write("other", s.bytes));
      const file_look look = look_at_bytes(s.bytes, true);
      EXPECT_THAT(said, HasSubstr("other" + std::string(place) + " this is " + std::string(look.what))) << reader;
      EXPECT_THAT(said, HasSubstr("; " + std::string(look.remedy))) << reader;
      return;
    }
    FAIL() << "no sample";
  };
  for (const file_kind kind :
       {file_kind::matrix_market, file_kind::labelled_text, file_kind::json, file_kind::markup, file_kind::lfs_pointer})
    for (const char* const reader : {"libsvm", "ffm", "ratings", "named ratings", "pairs", "triples", "graph"})
      says(reader, kind, ":1:1:");
  for (const char* const reader : {"libsvm", "ffm", "ratings", "named ratings", "pairs", "triples"})
    says(reader, file_kind::vowpal_wabbit, ":1:3:");
  says("libsvm", file_kind::table, ":1:1:");
  says("ffm", file_kind::table, ":1:1:");
  says("libsvm", file_kind::libffm, ":1:3:");
  says("ffm", file_kind::libsvm, ":2:3:");
  says("ratings", file_kind::libsvm, ":2:3:");
  says("libsvm", file_kind::libsvm_with_header, ":1:1:");
  says("libsvm", file_kind::dimacs, ":2:1:");
  EXPECT_THAT(refusal_as("libsvm", folder.write("zero", "1 1:0.5\n-1 0:1 2:1\n")),
              HasSubstr("zero:2:4: the index is 0; indices count from 1 here"));
}

/// Whole numbers between commas are lists of labels as well. A file with lists and without any entry is not data.
TEST_F(readers_of_text, do_not_take_a_table_for_lists_of_labels) {
  for (const char* const text : {"0,7,3,5\n1,2,9,4\n0,6,5,8\n", "1,2\n3,4\n", "1,2\n3\n4,5,6\n", "1,2,3\n"}) {
    const std::string path = folder.write("table.csv", text);
    for (const bool optional : {false, true}) {
      EXPECT_THROW(open_libsvm(path, {.labels_optional = optional}), input_error) << text;
      EXPECT_THROW(parse_libsvm(text, "text", optional), input_error) << text;
    }
  }
  EXPECT_EQ(open_libsvm(folder.write("lists.svm", "1,2\n3,4 1:1\n5,6\n")).rows(), 3u);
}

TEST_F(readers_of_text, or_images_or_models_say_what_a_file_is) {
  for (const auto& samples : {binary_samples(), text_samples()})
    for (const sample& s : samples) {
      const std::string path = folder.write("other", s.bytes), what(look_at_bytes(s.bytes, true).what);
      const std::string packed = "a compressed file, and a saved model is read uncompressed; unpack it";
      const bool model = s.kind == file_kind::binary_model || s.kind == file_kind::text_model;
      for (const char* const reader : {"idx", "cifar", "model"}) {
        if (reader == std::string("model") ? model : s.kind == file_kind::packed_twice) continue;
        const bool was_packed = s.kind == file_kind::packed_twice;  // once, where nothing is unpacked
        EXPECT_THAT(refusal_as(reader, path), HasSubstr("other: this is " + (was_packed ? packed : what))) << reader;
      }
    }
}

}  // namespace
}  // namespace hogwild
