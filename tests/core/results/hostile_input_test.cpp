// SPDX-License-Identifier: Apache-2.0
// Messages about input from others must neither control the terminal nor fill it.
#include <string>

#include <gtest/gtest.h>

#include <hogwild/detail/data/cache_registry.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/checkpoint.hpp>

#include "../readers.hpp"
#include "support/messages.hpp"
#include "support/scratch_folder.hpp"

namespace {

using namespace hogwild;

/// The @ in a text stands for the token.
struct place {
  const char *text, *reader;
};
constexpr place places[] = {{"@ 1:1\n", "libsvm"},
                            {"1 @:1\n", "libsvm"},
                            {"1 1:@\n", "libsvm"},
                            {"1 @\n", "libsvm"},
                            {"@ 1:1:1\n", "ffm"},
                            {"1 @:1:1\n", "ffm"},
                            {"1 1:@:1\n", "ffm"},
                            {"1 1:1:@\n", "ffm"},
                            {"1 @\n", "ffm"},
                            {"@ 1 3\n", "ratings"},
                            {"1 @ 3\n", "ratings"},
                            {"1 1 @\n", "ratings"},
                            {"1\t1\t3\n@,2,3\n", "ratings"},
                            {"a b @\n", "named ratings"},
                            {"@ b\n", "named ratings"},
                            {"@ 1 3\n", "pairs"},
                            {"1 @ 3 4 5\n", "pairs"},
                            {"1 1 3\n1 1 @\n", "pairs"},
                            {"@\tr\tb\n", "triples"},
                            {"a r @\n", "triples"},
                            {"2 1\n@ 1 1\n", "graph"},
                            {"nodes 2 edges 1\n@\n", "graph"},
                            {"@\n", "graph"},
                            {"p max 2 1\n@ 1 2 3\n", "dimacs"},
                            {"p @ 2 1\n", "dimacs"},
                            {"p max 2 1\nn 1 @\n", "dimacs"},
                            {"p max 2 1\na 1 2 @\n", "dimacs"},
                            {"%%MatrixMarket matrix @ real general\n", "mtx"},
                            {"%%MatrixMarket matrix array real general\n1 @\n", "mtx"},
                            {"%%MatrixMarket matrix array real general\n1 1\n@\n", "mtx"},
                            {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 @ 1\n", "mtx"},
                            {"@", "idx"},
                            {"@", "cifar"},
                            {"@ @ @\n", "frequent words"},
                            {"@ 2\n", "vectors"},
                            {"1 2\na 1 @\n", "vectors"},
                            {"1 2\n@ 1 x\n", "vectors"},
                            {": s\n@\n", "analogies"},
                            {"@", "model"},
                            {"hogwild model @\n", "model"},
                            {"hogwild model 1\nmodel @\n", "model"},
                            {"hogwild model 1\nmodel logistic\noption @ 1\n", "model"},
                            {"hogwild model 1\nmodel logistic\noption a @\n", "model"},
                            {"hogwild model 1\nmodel logistic\nlabels @\n", "model"},
                            {"hogwild model 1\nmodel logistic\nlabels binary @ 1\n", "model"},
                            {"hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth @\n", "model"},
                            {"hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth 1\ncolumns @\n", "model"},
                            {"hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth 1\ncolumns 1\n1 @\n", "model"},
                            {"@", "checkpoint"},
                            {"@", "mapped"},
                            {"@", "caches"}};

void read(const place& p, const std::string& path) {
  if (p.reader == std::string("checkpoint")) return static_cast<void>(read_checkpoint(path));
  if (p.reader == std::string("mapped")) return static_cast<void>(sparse_dataset::map(path));
  if (p.reader == std::string("frequent words")) return static_cast<void>(open_corpus(path));
  if (p.reader == std::string("caches")) return static_cast<void>(list_caches(path));
  test::read_as(p.reader, path);
}

std::string with(std::string text, const std::string& token) {
  for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + token.size()))
    text.replace(at, 1, token);
  return text;
}

TEST(hostile_input, reaches_no_message_as_it_is) {
  const test::scratch_folder folder;
  for (const place& p : places) {
    std::size_t refused = 0;
    for (const std::string& token : test::hostile_tokens()) {
      const std::string path = folder.write("input", with(p.text, token));
      const std::string said = test::message_of([&] { read(p, path); });
      refused += said != "accepted";
      EXPECT_TRUE(test::is_harmless(said)) << p.text << " says " << printable(said);
      EXPECT_LE(said.size(), 500 + folder.path().string().size()) << p.text;
    }
    // A word may have bytes of any encoding.
    const bool any_word = p.text == std::string("@ @ @\n");
    EXPECT_GT(refused + (any_word ? 1 : 0), 0u) << p.text;
  }
}

TEST(hostile_input, may_have_a_name_that_is) {
  const test::scratch_folder folder;
  for (const std::string& name : {std::string("\x1b[2J\r\a"), std::string("\xff\n\xc2\x9b")}) {
    for (const place& p : places) {
      for (const std::string& path : {folder.write(name, "\x01 \x1b:x\n"), (folder / (name + ".missing")).string()}) {
        const std::string said = test::message_of([&] { read(p, path); });
        EXPECT_NE(said, "accepted") << p.text;
        EXPECT_TRUE(test::is_harmless(said)) << p.text << " says " << printable(said);
        EXPECT_LE(said.size(), longest_message);
      }
    }
  }
}

}  // namespace
