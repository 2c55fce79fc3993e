// SPDX-License-Identifier: Apache-2.0
// Published graphs, cut by defaults.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

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

class graph_sets : public ::testing::TestWithParam<known_graph> {
 protected:
  /// The graph itself lies elsewhere, so that the cache goes beside the link.
  std::string graph() {
    const char* const data = std::getenv("HOGWILD_DATA_DIR");
    if (data == nullptr) return {};
    const auto source = std::filesystem::path(data) / GetParam().file;
    if (!std::filesystem::exists(source)) return {};
    const auto link = scratch.path() / source.filename();
    std::filesystem::create_symlink(source, link);
    return link.string();
  }
  static nlohmann::json cut(const std::string& path, const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", path, "--model", "graph_cut", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const outcome o = hogwild(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.code == 0 ? o.out : "{}");
  }
  scratch_folder scratch;
};

TEST_P(graph_sets, are_cut_by_defaults) {
  const std::string path = graph();
  if (path.empty()) GTEST_SKIP() << GetParam().file << " is not there, or HOGWILD_DATA_DIR is not set";
  for (const auto& engine : std::vector<std::vector<std::string>>{{"--engine", "threads", "--workers", "2"},
                                                                  {"--engine", "processes", "--workers", "2"}}) {
    const nlohmann::json result = cut(path, engine);
    EXPECT_GE(result["test_cut"], GetParam().least) << engine[1];
    EXPECT_LE(result["test_cut"], GetParam().most) << engine[1];
    if (GetParam().accuracy > 0.0) {
      EXPECT_GE(result["test_accuracy"], GetParam().accuracy) << engine[1];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(every, graph_sets,
                         ::testing::Values(known_graph{"tsukuba-fgbg.max.xz", 52393, 53440, 0.0},
                                           known_graph{"cora.graph.txt.xz", 358, 482, 0.72},
                                           known_graph{"citeseer.graph.txt.xz", 148.5, 182, 0.5},
                                           known_graph{"pubmed.graph.txt.xz", 2567, 2765, 0.76}));

}  // namespace
}  // namespace hogwild::test
