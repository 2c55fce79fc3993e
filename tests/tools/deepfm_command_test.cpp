// SPDX-License-Identifier: Apache-2.0
// A deepfm from the command line; fm_command_test.cpp has what it has in common with a factorization_machine.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

/// Three fields of two values each; the label says whether all three are alike, or, as a number, how much so.
class deepfm_command : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    std::mt19937_64 random(5);
    std::string labels, numbers;
    for (int r = 0; r < 1000; ++r) {
      std::string row;
      std::uint64_t ones = 0;
      for (int f = 0; f < 3; ++f) {
        const std::uint64_t value = random() % 2;
        ones += value;
        row += " " + std::to_string(f) + ":" + std::to_string(value) + ":1";
      }
      const bool alike = ones % 3 == 0;
      labels += (alike ? "1" : "0") + row + "\n";
      numbers += (alike ? "130" : "70") + row + "\n";
    }
    write_file(*folder / "train.ffm", labels);
    write_file(*folder / "numbers.ffm", numbers);
  }
  void SetUp() override {
    if (!has_layer_kernels()) GTEST_SKIP() << "this build has no layers";
  }

  static outcome trained(const command_words& more, const std::string& data = "train.ffm") {
    return hogwild({"train", file(data), "--model deepfm --hidden 6,4 --factors 3 --json", more});
  }
};

TEST_F(deepfm_command, learns_numbers_and_is_evaluated_as_it_was_measured) {
  const std::string saved = file("numbers.bin");
  const auto result = result_of(
      trained({"--loss squared --engine serial --test", file("numbers.ffm"), "--epochs 30 --step 0.05 --save", saved},
              "numbers.ffm"));
  EXPECT_LT(result["test_rmse"], 5.0) << "of numbers that lie 30 beside their middle";
  expect_measured_alike(result, saved, file("numbers.ffm"), 1e-4);
}

TEST_F(deepfm_command, reproducible_runs_have_the_bits_of_any_number_of_workers) {
  for (const char* const optimizer : {"adagrad", "adam"}) {
    std::vector<std::string> bits;
    for (const char* const workers : {"1", "2"}) {
      const std::string saved = file("bits.bin");
      result_of(trained({"--reproducible --virtual-workers 2 --engine threads --workers", workers,
                         "--epochs 2 --optimizer", optimizer, "--step 0.01 --dropout 0.2 --save", saved}));
      bits.push_back(read_file(saved));
    }
    EXPECT_EQ(bits[0], bits[1]) << optimizer;
  }
}

TEST_F(deepfm_command, goes_on_from_a_checkpoint_to_the_same_bits) {
  const command_words run{"train", file("train.ffm"), "--model deepfm --factors 3 --engine serial --dropout 0.1"};
  expect_same_when_resumed({run, "--hidden 6,4"}, 2);
  EXPECT_NE(hogwild({run, "--epochs 2 --hidden 4,6 --resume", file("half.ckpt")}).code, 0) << "another net";
}

TEST_F(deepfm_command, leaves_frozen_groups_and_begins_with_those_of_other_models) {
  const std::string begun = file("begun.txt"), frozen = file("frozen.txt"), ffm = file("ffm.bin");
  result_of(trained({"--engine serial --epochs 2 --save", begun}));
  result_of(trained({"--engine serial --epochs 1 --init", begun, "--save", frozen,
                     "--freeze fc1.weights,fc1.bias,fc2.weights,fc2.bias,fc3.weights,fc3.bias"}));
  // The bias is followed by what the net has learned.
  const auto net_of = [](const std::string& path) {
    const std::string text = read_file(path);
    const std::size_t bias = text.find("\nbias ") + 6;
    const std::size_t net = text.find(' ', bias);
    return std::vector<std::string>{text.substr(bias, net - bias), text.substr(net, text.find('\n', net) - net)};
  };
  EXPECT_NE(net_of(frozen)[0], net_of(begun)[0]);
  EXPECT_EQ(net_of(frozen)[1], net_of(begun)[1]);

  // From an ffm it takes only the weights of columns, because an ffm's factors are for each field.
  result_of({"train", file("train.ffm"), "--model ffm --json --engine serial --epochs 1 --save", ffm, "--factors 3"});
  EXPECT_EQ(trained({"--epochs 1 --init", ffm, "--init-groups weights,bias"}).code, 0);
}

TEST_F(deepfm_command, has_the_shape_of_the_one_that_it_begins_with) {
  const std::string begun = file("shape.bin"), again = file("again.bin");
  result_of(trained({"--epochs 1 --save", begun}));
  result_of({"train", file("train.ffm"), "--model deepfm --json --epochs 1 --init", begun, "--save", again});
  const auto of = result_of({"inspect", again, "--json"});
  EXPECT_EQ(of["factors"], 3.0);
  EXPECT_EQ(of["hidden1"], 6.0);
  EXPECT_EQ(of["hidden2"], 4.0);
}

}  // namespace
}  // namespace hogwild::test
