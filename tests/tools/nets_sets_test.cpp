// SPDX-License-Identifier: Apache-2.0
// Published images, trained by two workers: how many of the test images are told right.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

class image_sets : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("HOGWILD_DATA_DIR");
    if (folder == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
    source = folder;
  }
  /// A link, so that the cache goes beside it; empty where there is no such file.
  std::string link(const char* name) const {
    if (!std::filesystem::exists(source / name)) return {};
    const auto path = scratch.path() / name;
    std::filesystem::create_symlink(source / name, path);
    return path.string();
  }
  static double accuracy(const std::string& train, const std::string& test, std::vector<std::string> more) {
    more.insert(more.begin(), {"train", train, "--test", test, "--model", "convnet", "--json", "--quiet"});
    const outcome o = hogwild(more);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out)["test_accuracy"].get<double>() : 0.0;
  }

  std::filesystem::path source;
  scratch_folder scratch;
};

TEST_F(image_sets, of_digits_are_learned_in_five_epochs) {
  const std::string train = link("train-images-idx3-ubyte.gz"), test = link("t10k-images-idx3-ubyte.gz");
  if (train.empty() || test.empty() || link("train-labels-idx1-ubyte.gz").empty() ||
      link("t10k-labels-idx1-ubyte.gz").empty())
    GTEST_SKIP() << "the digits are not there";
  for (const char* const engine : {"threads", "processes"}) {
    const std::vector<std::string> two{"--engine", engine, "--workers", "2", "--batch", "64", "--epochs", "5"};
    const auto with = [&](std::vector<std::string> optimizer) {
      optimizer.insert(optimizer.end(), two.begin(), two.end());
      return accuracy(train, test, optimizer);
    };
    EXPECT_GE(with({"--optimizer", "momentum", "--momentum", "0.5", "--step", "0.01"}), 0.974) << engine;
    EXPECT_GE(with({"--optimizer", "adam", "--step", "0.001"}), 0.985) << engine;
  }
}

TEST_F(image_sets, of_ten_things_are_learned_by_two_as_by_one) {
  const std::string train = link("cifar10_data_batch_1.bin.xz"), test = link("cifar10_test_first1000.bin.xz");
  if (train.empty() || test.empty()) GTEST_SKIP() << "the images are not there";
  const std::vector<std::string> adam{"--net", "cifar",   "--optimizer", "adam",     "--step",
                                      "0.001", "--batch", "32",          "--epochs", "20"};
  const auto with = [&](std::vector<std::string> engine) {
    engine.insert(engine.end(), adam.begin(), adam.end());
    return accuracy(train, test, engine);
  };
  EXPECT_GE(with({"--engine", "threads", "--workers", "2"}), with({"--engine", "serial"}) - 0.005);
}

}  // namespace
}  // namespace hogwild::test
