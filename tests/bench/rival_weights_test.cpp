// SPDX-License-Identifier: Apache-2.0
#include "rivals/weights.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

using numbers = std::vector<double>;

template <class Read>
numbers read(Read reader, const std::string& text) {
  std::istringstream in(text);
  return reader(in);
}

const std::string head = "solver_type L2R_LR\nnr_class 2\n", tail = "nr_feature 3\nbias -1\nw\n";

TEST(rival_weights, liblinear_weights_are_those_of_the_larger_label) {
  EXPECT_EQ(read(read_liblinear, head + "label 1 -1\n" + tail + "0 \n0.5 \n-2e-3 \n"), (numbers{0, 0, 0.5, -2e-3}));
  EXPECT_EQ(read(read_liblinear, head + "label -1 1\n" + tail + "0 \n0.5 \n-2e-3 \n"), (numbers{0, 0, -0.5, 2e-3}));
}

TEST(rival_weights, liblinear_models_that_do_not_suit_are_refused) {
  EXPECT_THROW(read(read_liblinear, ""), input_error);
  EXPECT_THROW(read(read_liblinear, head + tail + "1\n1\n1\n"), input_error) << "no labels";
  EXPECT_THROW(read(read_liblinear, head + "label 1 -1\n" + tail + "1\n1\n"), input_error) << "torn";
  EXPECT_THROW(read(read_liblinear, head + "label 1 -1\n" + tail + "1\n1\nnan\n"), input_error);
  EXPECT_THROW(read(read_liblinear, "nr_class 3\nlabel 1 2 3\n" + tail + "1 1 1\n"), input_error) << "three classes";
  EXPECT_THROW(read(read_liblinear, head + "label 1 -1\nnr_feature 1\nbias 1\nw\n1\n1\n"), input_error) << "a bias";
}

TEST(rival_weights, vw_weights_follow_the_line_of_options) {
  EXPECT_EQ(read(read_vw, "Version 9\nbits:18\noptions:\n:0\n2:0.5\n4:-1.25\n"), (numbers{0, 0, 0.5, 0, -1.25}));
  EXPECT_EQ(read(read_vw, "bits:18\n:1\ninitial_t 0\ncurrent_pass 3\n1:1.5 0.4 1\n"), (numbers{0, 1.5}));
  EXPECT_TRUE(read(read_vw, "bits:18\n:0\n").empty());
}

TEST(rival_weights, vw_text_without_weights_is_refused) {
  EXPECT_THROW(read(read_vw, "Version 9\n2:0.5\n"), input_error);
  EXPECT_THROW(read(read_vw, ":0\n2:heavy\n"), input_error);
  EXPECT_THROW(read(read_vw, ":0\n99999999999:1\n"), input_error);
}

TEST(rival_weights, pairs_are_read_to_the_last_digit) {
  EXPECT_EQ(read(read_pairs, "1 0.1\n3 -7.25e-300\n"), (numbers{0, 0.1, 0, -7.25e-300}));
  EXPECT_THROW(read(read_pairs, "1 0.1\nand so on\n"), input_error);
  EXPECT_THROW(read(read_pairs, "1\n"), input_error);
}

TEST(rival_weights, a_missing_file_is_told) {
  EXPECT_THROW(read_weights("/nowhere/weights", read_pairs), input_error);
}

}  // namespace
}  // namespace hogwild::bench
