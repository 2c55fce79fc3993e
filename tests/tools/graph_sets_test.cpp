// SPDX-License-Identifier: Apache-2.0
// Published graphs, cut by defaults.
#include <gtest/gtest.h>

#include <string>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

/// `least`: a lower bound of all cuts. For two sides it is the minimum, which the maximal flow proves; for more, half
/// the sum of the cuts that isolate each side's terminals from all others, also by maximal flows.
struct known_graph {
  const char* file;
  double least, most;
  double accuracy;  ///< of the labelled nodes that are no terminals, at least
};
void PrintTo(const known_graph& graph, std::ostream* out) {
  *out << graph.file;
}

class graph_sets : public ::testing::TestWithParam<known_graph> {};

TEST_P(graph_sets, are_cut_by_defaults) {
  linked_sets sets;
  const std::string path = sets.link(GetParam().file);
  if (path.empty()) GTEST_SKIP() << sets.missing();
  // In 380 runs on busy CPUs one cut of citeseer was above its bound, so fewer than 1.3 % are (with 95 %): the least of
  // four is above it in less than one of 10^7. Another seed is tried where that of one is.
  const auto good = [](const nlohmann::json& result) {
    const known_graph& known = GetParam();
    return result["test_cut"] <= known.most && (known.accuracy == 0.0 || result["test_accuracy"] >= known.accuracy);
  };
  for (const std::string engine : {"threads", "processes"}) {
    nlohmann::json best;
    for (const char* const seed : {"1", "2", "3", "4"}) {
      const auto result =
          result_of({"train", path, "--model graph_cut --workers 2 --json --engine", engine, "--seed", seed});
      EXPECT_GE(result["test_cut"], GetParam().least) << engine;
      if (best.is_null() || result["test_cut"] < best["test_cut"]) best = result;
      if (good(best)) break;
    }
    EXPECT_TRUE(good(best)) << engine << ": " << best;
  }
}

INSTANTIATE_TEST_SUITE_P(every, graph_sets,
                         ::testing::Values(known_graph{"tsukuba-fgbg.max.xz", 52393, 53440, 0.0},
                                           known_graph{"cora.graph.txt.xz", 358, 482, 0.72},
                                           known_graph{"citeseer.graph.txt.xz", 148.5, 182, 0.5},
                                           known_graph{"pubmed.graph.txt.xz", 2567, 2765, 0.76}));

}  // namespace
}  // namespace hogwild::test
