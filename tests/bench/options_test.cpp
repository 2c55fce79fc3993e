// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild::bench {
namespace {

bench_options read(std::initializer_list<const char*> words) {
  std::vector<const char*> argv{"bench_scaling"};
  argv.insert(argv.end(), words);
  return read_options(static_cast<int>(argv.size()), argv.data()).value();
}

TEST(bench_options, a_set_brings_its_data_and_steps) {
  const test::scratch_folder folder;
  folder.write("a9a.libsvm", "");
  folder.write("a9a.t.libsvm", "");
  const std::string data = folder.path().string();
  const bench_options o = read({"--set", "a9a", "--data", data.c_str()});
  EXPECT_EQ(o.train, (folder.path() / "a9a.libsvm").string());
  EXPECT_EQ(o.models, std::vector<std::string>{"logistic"});
  EXPECT_EQ(o.step, 0.02);
  EXPECT_EQ(o.decay, 0.8);
  EXPECT_EQ(o.l2, 1e-4);
  EXPECT_EQ(o.epochs, 12u);
}

TEST(bench_options, what_is_said_comes_before_what_the_set_says) {
  const bench_options o = read({"--set", "rcv1_hinge", "--step", "0.25", "--epochs", "3", "--model", "logistic"});
  EXPECT_TRUE(o.generated);
  EXPECT_EQ(o.step, 0.25);
  EXPECT_EQ(o.epochs, 3u);
  EXPECT_EQ(o.models, std::vector<std::string>{"logistic"});
  EXPECT_FALSE(o.l2) << "1/n";
}

TEST(bench_options, lists_that_are_given_twice_are_joined) {
  const bench_options o = read({"--generate", "--workers", "1,2", "--workers", "2,4", "--sharing", "head,direct"});
  EXPECT_EQ(o.workers, (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(o.sharing, (std::vector<sharing_kind>{sharing_kind::head, sharing_kind::direct}));
}

TEST(bench_options, what_does_not_hold_together_is_refused) {
  EXPECT_THROW(read({}), config_error);
  EXPECT_THROW(read({"--generate", "--set", "rcv1_hinge"}), config_error);
  EXPECT_THROW(read({"--set", "nobody"}), config_error);
  EXPECT_THROW(read({"--generate", "--sharing", "gossip"}), config_error);
  EXPECT_THROW(read({"--generate", "--rivals", "nobody"}), config_error);
  EXPECT_THROW(read({"--generate", "--isa", "mmx"}), config_error);
  EXPECT_THROW(read({"--generate", "--target-gap", "0.01", "--target", "objective=1"}), config_error);
  EXPECT_THROW(read({"--generate", "--budget", "-1"}), config_error);
}

}  // namespace
}  // namespace hogwild::bench
