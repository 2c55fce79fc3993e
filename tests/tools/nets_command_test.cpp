// SPDX-License-Identifier: Apache-2.0
// Nets from the command line: train, evaluate, predict, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)};
}

class nets : public with_folder {
 protected:
  /// Images of side x side with a bright block under noise; its place is the class, one of ten. Labels beside them.
  static std::string write_images(const std::string& name, std::uint32_t count, std::uint32_t side) {
    std::mt19937_64 random(count);
    std::string images = big_endian(2051) + big_endian(count) + big_endian(side) + big_endian(side);
    std::string labels = big_endian(2049) + big_endian(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto c = static_cast<std::uint32_t>(random() % 10);
      labels.push_back(static_cast<char>(c));
      for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
          const bool bright = y / 6 == c / 4 && x / 6 == c % 4;
          images.push_back(static_cast<char>(random() % (bright ? 256 : 80)));
        }
    }
    write_file(*folder / (name + "-labels-idx1-ubyte"), labels);
    const std::string path = *folder / (name + "-images-idx3-ubyte");
    write_file(path, images);
    return path;
  }
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    digits = write_images("train", 1'200, 28);
    others = write_images("test", 400, 28);
    small = write_images("small", 50, 24);
  }

  static outcome trained(const command_words& more) {
    return hogwild({"train", digits, "--model convnet --json --quiet", more});
  }

  inline static std::string digits, others, small;
};

TEST_F(nets, are_trained_by_processes_saved_evaluated_and_predicted) {
  const std::string model = *folder / "net.bin";
  const command_words adam{"--optimizer adam --step 0.002 --batch 16 --epochs 6 --test", others};
  const auto with = [&](const command_words& more) {
    return result_of(trained({more, adam}))["test_accuracy"].get<double>();
  };
  const double serial = with("--engine serial");
  EXPECT_GT(serial, 0.985);
  const double processes = with({"--engine processes --workers 2 --save", model});
  EXPECT_GE(processes, serial - 0.005 - 1e-9);
  EXPECT_GE(with({"--engine ring --workers 2 --replicas 2 --transport shared_segment"}), serial - 0.005 - 1e-9);

  const auto measured = result_of({"evaluate", model, others, "--json"});
  EXPECT_NEAR(measured["accuracy"].get<double>(), processes, 1e-9);
  const std::string labels = read_file(*folder / "test-labels-idx1-ubyte").substr(8);
  const auto lines = lines_of(hogwild({"predict", model, others}).out);
  ASSERT_EQ(lines.size(), labels.size());
  double right = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) right += lines[i] == std::to_string(int{labels[i]});
  EXPECT_NEAR(right / static_cast<double>(lines.size()), processes, 1e-9);
}

TEST_F(nets, in_lockstep_go_on_from_a_checkpoint_to_the_same_bits) {
  expect_same_when_resumed(
      {"train", digits, "--model convnet --quiet --engine all_reduce --workers 2", "--optimizer adam --step 0.002"}, 2);
}

TEST_F(nets, of_dense_layers_divide_the_bytes_of_images) {
  const std::string model = *folder / "m.txt";
  const auto result = result_of(
      {"train", digits, "--model mlp --hidden 32 --epochs 3 --test", others, "--save", model, "--json --quiet"});
  EXPECT_GT(result["test_accuracy"].get<double>(), 0.9);
  EXPECT_THAT(read_file(model), HasSubstr("scale 0.00392156"));
  // In an image of another size a column is another pixel, but an mlp has columns, not pixels.
  EXPECT_EQ(hogwild({"evaluate", model, small}).code, 0);
}

TEST_F(nets, tell_the_form_of_their_last_layer_and_resume_in_no_other) {
  const std::string rows = *folder / "classes.svm", record = *folder / "last.jsonl", state = *folder / "last.ckpt",
                    model = *folder / "tree.bin";
  std::string text;
  for (int r = 0; r < 60; ++r) text += std::to_string(r % 6) + " " + std::to_string(r % 6 + 1) + ":1 30:1\n";
  write_file(rows, text);
  const auto run = [&](const command_words& more) {
    return hogwild({"train", rows, "--model mlp --hidden 8 --step 0.1 --json --quiet", more});
  };
  const auto full = result_of(run({"--epochs 1"}));
  EXPECT_EQ(full["last_layer"], "full");
  EXPECT_EQ(full["class_loss"], "softmax");
  const auto sampled = result_of(run({"--epochs 1 --samples 3 --sample-by uniform --record", record}));
  EXPECT_EQ(sampled["last_layer"], "sampled");
  EXPECT_EQ(sampled["samples"], 3);
  EXPECT_EQ(sampled["sampled_by"], "uniform");
  EXPECT_THAT(read_file(record), HasSubstr("\"last_layer\":\"sampled\""));
  EXPECT_THAT(read_file(record), HasSubstr("\"sampled_by\":\"uniform\""));
  EXPECT_THAT(read_file(record), HasSubstr("\"class_loss\":\"softmax\""));
  EXPECT_EQ(result_of(run({"--epochs 1 --class-loss one_vs_rest"}))["class_loss"], "one_vs_rest");
  for (const char* const engine : {"serial", "processes --workers 2", "all_reduce --workers 2"}) {
    const auto result = result_of(run({"--epochs 40 --hierarchical --save", model, "--engine", engine}));
    EXPECT_EQ(result["last_layer"], "hierarchical");
    EXPECT_LT(result["train_loss"].get<double>(), 0.9) << engine << ", of log 6 = 1.79";
    EXPECT_THAT(hogwild({"evaluate", model, rows}).out, HasSubstr("accuracy 1.0"));
  }
  EXPECT_EQ(run({"--epochs 1 --hierarchical --checkpoint", state}).code, 0);
  EXPECT_EQ(run({"--epochs 2 --hierarchical --resume", state}).code, 0);
  EXPECT_THAT(run({"--epochs 2 --resume", state}).err, HasSubstr("last.ckpt"));
}

TEST_F(nets, tell_the_form_of_their_first_layer_and_resume_in_no_other) {
  const std::string rows = *folder / "few.svm", record = *folder / "run.jsonl", state = *folder / "few.ckpt";
  std::string text;
  for (int r = 0; r < 40; ++r) text += std::to_string(r % 2) + " " + std::to_string(r % 20 + 1) + ":1 30:1\n";
  write_file(rows, text);
  const auto run = [&](const command_words& more) {
    return hogwild({"train", rows, "--model mlp --hidden 4 --json --quiet", more});
  };
  EXPECT_EQ(result_of(run({"--epochs 1 --record", record, "--checkpoint", state}))["first_layer"], "sparse");
  EXPECT_THAT(read_file(record), HasSubstr("\"first_layer\":\"sparse\""));
  EXPECT_EQ(result_of(run({"--epochs 1 --first-layer dense"}))["first_layer"], "dense");
  const auto processes = result_of(run({"--epochs 20 --step 0.2 --engine processes --workers 2"}));
  EXPECT_EQ(processes["first_layer"], "sparse");
  EXPECT_LT(processes["train_loss"].get<double>(), 0.5) << "of log 2 = 0.69";
  EXPECT_EQ(run({"--epochs 2 --resume", state}).code, 0);
}

}  // namespace
}  // namespace hogwild::test
