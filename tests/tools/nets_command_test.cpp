// SPDX-License-Identifier: Apache-2.0
// Nets from the command line: train, evaluate, predict, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)};
}

class nets : public ::testing::Test {
 protected:
  /// Images of side x side with a bright block, whose place tells ten classes, under noise; labels beside them.
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
    folder = std::make_unique<scratch_folder>();
    digits = write_images("train", 1'200, 28);
    others = write_images("test", 400, 28);
    small = write_images("small", 50, 24);
  }
  static void TearDownTestSuite() { folder.reset(); }

  static outcome trained(const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", digits, "--model", "convnet", "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return hogwild(words);
  }
  static nlohmann::json result_of(const outcome& o) {
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  }
  static void expect_refusal(const outcome& o, const std::string& sentence) {
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_THAT(o.err, HasSubstr(sentence));
    EXPECT_THAT(o.err, Not(HasSubstr("worker")));
  }

  inline static std::unique_ptr<scratch_folder> folder;
  inline static std::string digits, others, small;
};

TEST_F(nets, are_trained_by_processes_saved_evaluated_and_predicted) {
  const std::string model = *folder / "net.bin";
  const std::vector<std::string> adam{"--optimizer", "adam",     "--step", "0.002",  "--batch",
                                      "16",          "--epochs", "6",      "--test", others};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), adam.begin(), adam.end());
    return result_of(trained(more))["test_accuracy"].get<double>();
  };
  const double serial = with({"--engine", "serial"});
  EXPECT_GT(serial, 0.985);
  const double processes = with({"--engine", "processes", "--workers", "2", "--save", model});
  EXPECT_GE(processes, serial - 0.005 - 1e-9);
  EXPECT_GE(with({"--engine", "ring", "--workers", "2", "--replicas", "2", "--transport", "shared_segment"}),
            serial - 0.005 - 1e-9);

  const auto measured = result_of(hogwild({"evaluate", model, others, "--json"}));
  EXPECT_NEAR(measured["accuracy"].get<double>(), processes, 1e-9);
  const std::string labels = read_file(*folder / "test-labels-idx1-ubyte").substr(8);
  const auto lines = lines_of(hogwild({"predict", model, others}).out);
  ASSERT_EQ(lines.size(), labels.size());
  double right = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) right += lines[i] == std::to_string(int{labels[i]});
  EXPECT_NEAR(right / static_cast<double>(lines.size()), processes, 1e-9);
  expect_refusal(hogwild({"evaluate", model, small}), "small-images-idx3-ubyte are 1 x 24 x 24");
  expect_refusal(hogwild({"predict", model, small}), "'mnist' takes images of 1 x 28 x 28");
}

TEST_F(nets, for_images_of_another_size_are_refused_before_workers_start) {
  for (const std::vector<std::string>& engine :
       {std::vector<std::string>{"--engine", "serial"},
        {"--engine", "threads", "--workers", "2"},
        {"--engine", "processes", "--workers", "2"},
        {"--engine", "ring", "--workers", "2", "--replicas", "2", "--transport", "shared_segment"},
        {"--engine", "all_reduce", "--workers", "2", "--transport", "shared_segment"}}) {
    std::vector<std::string> words = engine;
    words.insert(words.end(), {"--net", "cifar_3x3"});
    expect_refusal(trained(words), "train-images-idx3-ubyte are 1 x 28 x 28: train the net 'mnist'");
    words = engine;
    words.insert(words.end(), {"--test", small});
    expect_refusal(trained(words), "those of the test data are 1 x 24 x 24: no net here takes such images");
  }
  const std::string text = *folder / "rows.svm";
  write_file(text, "0 1:3 785:4\n1 2:1\n");
  expect_refusal(hogwild({"train", text, "--model", "convnet", "--engine", "processes", "--workers", "2"}),
                 "rows.svm has a column 785, which is no pixel of them");
}

TEST_F(nets, in_lockstep_go_on_from_a_checkpoint_to_the_same_bits) {
  const std::string whole = *folder / "whole.bin", parts = *folder / "parts.bin", state = *folder / "half.ckpt";
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--engine", "all_reduce", "--workers", "2", "--optimizer", "adam", "--step", "0.002"});
    return trained(more).code;
  };
  EXPECT_EQ(run({"--epochs", "2", "--save", whole}), 0);
  EXPECT_EQ(run({"--epochs", "1", "--checkpoint", state}), 0);
  EXPECT_EQ(run({"--epochs", "2", "--resume", state, "--save", parts}), 0);
  EXPECT_EQ(read_file(parts), read_file(whole));
}

TEST_F(nets, of_dense_layers_divide_the_bytes_of_images) {
  const std::string model = *folder / "m.txt";
  const auto result = result_of(hogwild({"train", digits, "--model", "mlp", "--hidden", "32", "--epochs", "3", "--test",
                                         others, "--save", model, "--json", "--quiet"}));
  EXPECT_GT(result["test_accuracy"].get<double>(), 0.9);
  EXPECT_THAT(read_file(model), HasSubstr("scale 0.00392156"));
  // Pixels of the other rows of a larger image are another thing, but an mlp has columns, not pixels.
  EXPECT_EQ(hogwild({"evaluate", model, small}).code, 0);
}

TEST_F(nets, tell_the_form_of_their_last_layer_and_resume_in_no_other) {
  const std::string rows = *folder / "classes.svm", record = *folder / "last.jsonl", state = *folder / "last.ckpt",
                    model = *folder / "tree.bin";
  std::string text;
  for (int r = 0; r < 60; ++r) text += std::to_string(r % 6) + " " + std::to_string(r % 6 + 1) + ":1 30:1\n";
  write_file(rows, text);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", rows, "--model", "mlp", "--hidden", "8", "--step", "0.1", "--json", "--quiet"});
    return hogwild(more);
  };
  const auto full = result_of(run({"--epochs", "1"}));
  EXPECT_EQ(full["last_layer"], "full");
  EXPECT_EQ(full["class_loss"], "softmax");
  const auto sampled =
      result_of(run({"--epochs", "1", "--samples", "3", "--sample-by", "uniform", "--record", record}));
  EXPECT_EQ(sampled["last_layer"], "sampled");
  EXPECT_EQ(sampled["samples"], 3);
  EXPECT_EQ(sampled["sampled_by"], "uniform");
  EXPECT_THAT(read_file(record), HasSubstr("\"last_layer\":\"sampled\""));
  EXPECT_THAT(read_file(record), HasSubstr("\"sampled_by\":\"uniform\""));
  EXPECT_THAT(read_file(record), HasSubstr("\"class_loss\":\"softmax\""));
  EXPECT_EQ(result_of(run({"--epochs", "1", "--class-loss", "one_vs_rest"}))["class_loss"], "one_vs_rest");
  for (const std::vector<std::string>& engine : {std::vector<std::string>{"--engine", "serial"},
                                                 {"--engine", "processes", "--workers", "2"},
                                                 {"--engine", "all_reduce", "--workers", "2"}}) {
    std::vector<std::string> words = engine;
    words.insert(words.end(), {"--epochs", "40", "--hierarchical", "--save", model});
    const auto result = result_of(run(words));
    EXPECT_EQ(result["last_layer"], "hierarchical");
    EXPECT_LT(result["train_loss"].get<double>(), 0.9) << engine[1] << ", of log 6 = 1.79";
    EXPECT_THAT(hogwild({"evaluate", model, rows}).out, HasSubstr("accuracy 1.0"));
  }
  EXPECT_EQ(run({"--epochs", "1", "--hierarchical", "--checkpoint", state}).code, 0);
  EXPECT_EQ(run({"--epochs", "2", "--hierarchical", "--resume", state}).code, 0);
  EXPECT_THAT(run({"--epochs", "2", "--resume", state}).err, HasSubstr("last.ckpt"));
  expect_refusal(run({"--hierarchical", "--samples", "3"}), "leave out one of them");
}

TEST_F(nets, tell_the_form_of_their_first_layer_and_resume_in_no_other) {
  const std::string rows = *folder / "few.svm", record = *folder / "run.jsonl", state = *folder / "few.ckpt";
  std::string text;
  for (int r = 0; r < 40; ++r) text += std::to_string(r % 2) + " " + std::to_string(r % 20 + 1) + ":1 30:1\n";
  write_file(rows, text);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", rows, "--model", "mlp", "--hidden", "4", "--json", "--quiet"});
    return hogwild(more);
  };
  EXPECT_EQ(result_of(run({"--epochs", "1", "--record", record, "--checkpoint", state}))["first_layer"], "sparse");
  EXPECT_THAT(read_file(record), HasSubstr("\"first_layer\":\"sparse\""));
  EXPECT_EQ(result_of(run({"--epochs", "1", "--first-layer", "dense"}))["first_layer"], "dense");
  const auto processes = result_of(run({"--epochs", "20", "--step", "0.2", "--engine", "processes", "--workers", "2"}));
  EXPECT_EQ(processes["first_layer"], "sparse");
  EXPECT_LT(processes["train_loss"].get<double>(), 0.5) << "of log 2 = 0.69";
  EXPECT_EQ(run({"--epochs", "2", "--resume", state}).code, 0);
  const outcome other = run({"--epochs", "2", "--resume", state, "--first-layer", "dense"});
  EXPECT_NE(other.code, 0);
  EXPECT_THAT(other.err, HasSubstr("few.ckpt"));
}

}  // namespace
}  // namespace hogwild::test
