// SPDX-License-Identifier: Apache-2.0
// Messages about input from others must neither control the terminal nor fill it.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/cache_registry.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/words/analogies.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/images.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "support/messages.hpp"
#include "support/scratch_folder.hpp"

namespace {

using namespace hogwild;

/// The @ in a text stands for the token.
struct place {
  const char* text;
  std::function<void(const std::string& path)> read;
};

std::vector<place> places() {
  static const open_options uncached{.cache = open_options::cache_use::none};
  const auto libsvm = [](const std::string& p) { open_libsvm(p, uncached); };
  const auto ffm = [](const std::string& p) { open_libffm(p, uncached); };
  const auto ratings = [](const std::string& p) { open_ratings(p, uncached); };
  const auto named = [](const std::string& p) {
    rating_names names;
    open_ratings(p, uncached, names);
  };
  const auto graph = [](const std::string& p) { open_graph(p, {}, uncached); };
  const auto dimacs = [](const std::string& p) { open_graph(p, {.format = graph_format::dimacs}, uncached); };
  const auto vectors = [](const std::string& p) { load_word_vectors(p); };
  const auto model = [](const std::string& p) { load_model(p); };
  const std::string head = "hogwild model 1\nmodel logistic\n";
  return {{"@ 1:1\n", libsvm},
          {"1 @:1\n", libsvm},
          {"1 1:@\n", libsvm},
          {"1 @\n", libsvm},
          {"@ 1:1:1\n", ffm},
          {"1 @:1:1\n", ffm},
          {"1 1:@:1\n", ffm},
          {"1 1:1:@\n", ffm},
          {"1 @\n", ffm},
          {"@ 1 3\n", ratings},
          {"1 @ 3\n", ratings},
          {"1 1 @\n", ratings},
          {"1\t1\t3\n@,2,3\n", ratings},
          {"a b @\n", named},
          {"@ b\n", named},
          {"2 1\n@ 1 1\n", graph},
          {"nodes 2 edges 1\n@\n", graph},
          {"@\n", graph},
          {"p max 2 1\n@ 1 2 3\n", dimacs},
          {"p @ 2 1\n", dimacs},
          {"p max 2 1\nn 1 @\n", dimacs},
          {"p max 2 1\na 1 2 @\n", dimacs},
          {"@", [](const std::string& p) { open_idx(p, p, uncached); }},
          {"@", [](const std::string& p) { open_cifar(p, uncached); }},
          {"@ @ @\n", [](const std::string& p) { open_corpus(p); }},
          {"@ 2\n", vectors},
          {"1 2\na 1 @\n", vectors},
          {"1 2\n@ 1 x\n", vectors},
          {": s\n@\n", [](const std::string& p) { load_analogies(p); }},
          {"@", model},
          {"hogwild model @\n", model},
          {"hogwild model 1\nmodel @\n", model},
          {"hogwild model 1\nmodel logistic\noption @ 1\n", model},
          {"hogwild model 1\nmodel logistic\noption a @\n", model},
          {"hogwild model 1\nmodel logistic\nlabels @\n", model},
          {"hogwild model 1\nmodel logistic\nlabels binary @ 1\n", model},
          {"hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth @\n", model},
          {"hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth 1\ncolumns @\n", model},
          {"hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth 1\ncolumns 1\n1 @\n", model},
          {"@", [](const std::string& p) { read_checkpoint(p); }},
          {"@", [](const std::string& p) { sparse_dataset::map(p); }},
          {"@", [](const std::string& p) { list_caches(p); }}};
}

std::string with(std::string text, const std::string& token) {
  for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + token.size()))
    text.replace(at, 1, token);
  return text;
}

/// The message; empty where nothing was wrong.
std::string refusal(const place& p, const std::string& path) {
  try {
    p.read(path);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

TEST(hostile_input, reaches_no_message_as_it_is) {
  const test::scratch_folder folder;
  for (const place& p : places()) {
    std::size_t refused = 0;
    for (const std::string& token : test::hostile_tokens()) {
      const std::string said = refusal(p, folder.write("input", with(p.text, token)));
      refused += said.empty() ? 0 : 1;
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
    for (const place& p : places()) {
      for (const std::string& path : {folder.write(name, "\x01 \x1b:x\n"), (folder / (name + ".missing")).string()}) {
        const std::string said = refusal(p, path);
        EXPECT_NE(said, "") << p.text;
        EXPECT_TRUE(test::is_harmless(said)) << p.text << " says " << printable(said);
        EXPECT_LE(said.size(), longest_message);
      }
    }
  }
}

}  // namespace
