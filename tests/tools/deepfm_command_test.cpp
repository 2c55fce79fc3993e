// SPDX-License-Identifier: Apache-2.0
// A deepfm from the command line; machines_test.cpp has what it has in common with other machines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>

#include "command.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

/// Three fields of two values each; the label says whether all three are alike, or, as a number, how much so.
class deepfm_command : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<scratch_folder>();
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
  static void TearDownTestSuite() { folder.reset(); }
  void SetUp() override {
    if (!has_layer_kernels()) GTEST_SKIP() << "this build has no layers";
  }

  static std::string file(const std::string& name) { return *folder / name; }
  static outcome trained(const std::vector<std::string>& more, const std::string& data = "train.ffm") {
    std::vector<std::string> all{"train", file(data),  "--model", "deepfm", "--hidden",
                                 "6,4",   "--factors", "3",       "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return hogwild(all);
  }
  static nlohmann::json result_of(const outcome& o) {
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }

  inline static std::unique_ptr<scratch_folder> folder;
};

TEST_F(deepfm_command, learns_numbers_and_is_evaluated_as_it_was_measured) {
  const std::string saved = file("numbers.bin");
  const auto result = result_of(trained({"--loss", "squared", "--engine", "serial", "--test", file("numbers.ffm"),
                                         "--epochs", "30", "--step", "0.05", "--save", saved},
                                        "numbers.ffm"));
  EXPECT_LT(result["test_rmse"], 5.0) << "of numbers that lie 30 beside their middle";
  const auto measured = result_of(hogwild({"evaluate", saved, file("numbers.ffm"), "--json"}));
  EXPECT_NEAR(measured["rmse"].get<double>(), result["test_rmse"].get<double>(), 1e-4);
}

TEST_F(deepfm_command, reproducible_runs_have_the_bits_of_any_number_of_workers) {
  for (const char* const optimizer : {"adagrad", "adam"}) {
    std::vector<std::string> bits;
    for (const char* const workers : {"1", "2"}) {
      const std::string saved = file("bits.bin");
      result_of(
          trained({"--reproducible", "--virtual-workers", "2", "--engine", "threads", "--workers", workers, "--epochs",
                   "2", "--optimizer", optimizer, "--step", "0.01", "--dropout", "0.2", "--save", saved}));
      bits.push_back(read_file(saved));
    }
    EXPECT_EQ(bits[0], bits[1]) << optimizer;
  }
}

TEST_F(deepfm_command, goes_on_from_a_checkpoint_to_the_same_bits) {
  const std::string whole = file("whole.bin"), parts = file("parts.bin"), state = file("half.ckpt");
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--engine", "serial", "--dropout", "0.1"});
    return trained(more).code;
  };
  EXPECT_EQ(run({"--epochs", "2", "--save", whole}), 0);
  EXPECT_EQ(run({"--epochs", "1", "--checkpoint", state}), 0);
  EXPECT_EQ(run({"--epochs", "2", "--resume", state, "--save", parts}), 0);
  EXPECT_EQ(read_file(parts), read_file(whole));
  EXPECT_NE(run({"--epochs", "2", "--resume", state, "--hidden", "4,6"}), 0) << "another net";
}

TEST_F(deepfm_command, leaves_frozen_groups_and_begins_with_those_of_other_models) {
  const std::string begun = file("begun.txt"), frozen = file("frozen.txt"), ffm = file("ffm.bin");
  result_of(trained({"--engine", "serial", "--epochs", "2", "--save", begun}));
  result_of(trained({"--engine", "serial", "--epochs", "1", "--init", begun, "--save", frozen, "--freeze",
                     "fc1.weights,fc1.bias,fc2.weights,fc2.bias,fc3.weights,fc3.bias"}));
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
  result_of(hogwild({"train", file("train.ffm"), "--model", "ffm", "--json", "--engine", "serial", "--epochs", "1",
                     "--save", ffm, "--factors", "3"}));
  EXPECT_EQ(trained({"--epochs", "1", "--init", ffm, "--init-groups", "weights,bias"}).code, 0);
  const outcome factors = trained({"--epochs", "1", "--init", ffm, "--init-groups", "factors"});
  EXPECT_EQ(factors.code, 2);
  EXPECT_THAT(factors.err, HasSubstr("are for each field in one of the models, and not in the other"));
}

TEST_F(deepfm_command, has_the_shape_of_the_one_that_it_begins_with) {
  const std::string begun = file("shape.bin"), again = file("again.bin"), wider = file("wider.ffm");
  result_of(trained({"--epochs", "1", "--save", begun}));
  const std::vector<std::string> base = {"train", file("train.ffm"), "--model", "deepfm", "--json", "--epochs",
                                         "1",     "--init",          begun};
  std::vector<std::string> on = base;
  on.insert(on.end(), {"--save", again});
  result_of(hogwild(on));
  const auto of = result_of(hogwild({"inspect", again, "--json"}));
  EXPECT_EQ(of["factors"], 3.0);
  EXPECT_EQ(of["hidden1"], 6.0);
  EXPECT_EQ(of["hidden2"], 4.0);

  std::string text;
  for (const std::string& line : lines_of(read_file(file("train.ffm")))) text += line + " 3:0:1\n";
  write_file(wider, text);
  struct wrong {
    std::vector<std::string> more;
    std::string said;
  };
  for (const wrong& w : {wrong{{"--factors", "4"}, "'factors' has rows of 4 factors, that of the saved model of 3"},
                         wrong{{"--hidden", "5"}, "the group 'fc1.weights' has 9 x 5 parameters"}}) {
    std::vector<std::string> all = base;
    all.insert(all.end(), w.more.begin(), w.more.end());
    const outcome o = hogwild(all);
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, HasSubstr(w.said));
  }
  on = base;
  on[1] = wider;
  EXPECT_THAT(hogwild(on).err, HasSubstr("the group 'fc1.weights' has 12 x 6 parameters, that of the saved deepfm "
                                         "model 9 x 6: name the groups to begin with"));
}

TEST_F(deepfm_command, what_cannot_be_done_is_said) {
  struct wrong {
    std::vector<std::string> arguments;
    int code;
    std::string said;
  };
  const std::string broken = file("broken.ffm"), svm = file("rows.svm"), far = file("far.ffm"), saved = file("m.txt");
  write_file(broken, "1 0:1:1\n0 0:1:1 1:x:1\n");
  write_file(svm, "1 1:1\n0 2:1\n");
  write_file(far, "1 0:1:1\n0 1022:1:1\n");
  result_of(trained({"--epochs", "1", "--save", saved}));
  const std::string good = read_file(saved), cut = file("cut.txt"), other = file("other.txt");
  const std::size_t bias = good.find("\nbias "), last = good.rfind(' ', good.find('\n', bias + 1));
  std::string less = good, hidden = good;
  write_file(cut, less.erase(last, less.find('\n', last) - last));
  const std::size_t at = hidden.find("option hidden1 6");
  ASSERT_NE(at, std::string::npos);
  write_file(other, hidden.replace(at, 16, "option hidden1 7"));
  const wrong cases[] = {
      {{"train", broken}, 3, broken + ":2:11: the index 'x' is not a whole number"},
      {{"train", svm}, 3, svm + ":1:3: "},
      {{"train", far, "--factors", "65"}, 2, "at most 65536; 1023 x 65 are more: ask for fewer factors"},
      {{"train", far, "--hidden", "0"}, 2, "'0' is not WIDTH,WIDTH,..."},
      {{"train", far, "--hidden", "1,2,3,4,5"}, 2, "deepfm has at most 4 hidden layers"},
      {{"train", far, "--dropout", "1"}, 2, "the dropout of deepfm must be 0 or more and below 1"},
      {{"train", far, "--bias"}, 2, "a bias of its own"},
      {{"train", far, "--freeze", "fc9.bias"}, 2, "factors, weights, bias, fc1.weights"},
      {{"train", far, "--engine", "cuda", "--device", "emulated"}, 2, "deepfm"},
      {{"predict", cut, file("train.ffm")}, 3, cut + ":"},
      {{"predict", other, file("train.ffm")}, 3, "the number of parameters does not suit the model deepfm"},
      {{"predict", saved, svm}, 3, svm + ":1:3: "},
  };
  for (const wrong& w : cases) {
    std::vector<std::string> all = w.arguments;
    if (all.front() == "train") all.insert(all.end(), {"--model", "deepfm"});
    const outcome o = hogwild(all);
    EXPECT_EQ(o.code, w.code) << ::testing::PrintToString(all) << o.err;
    EXPECT_THAT(o.err, HasSubstr(w.said));
  }
}

}  // namespace
}  // namespace hogwild::test
