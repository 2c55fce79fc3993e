// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "small_data.hpp"

// --values: how precisely the values of a run's data are kept.

namespace hogwild::test {
namespace {

class values_option : public with_small_data {
 protected:
  static nlohmann::json train_with(const char* values, const std::string& record) {
    return result_of({"train", train(), "--test", test(), "--epochs 5 --engine serial --values", values, "--record",
                      record, "--json --save", *folder / "m.bin"});
  }
  static nlohmann::json data_of(const std::string& record) { return record_in(record).front()["dataset"]; }
};

TEST_F(values_option, halves_train_nearly_the_same_model_and_the_record_says_what_they_were) {
  const std::string record = *folder / "run.jsonl";
  const auto single = train_with("float", record);
  EXPECT_EQ(data_of(record)["value_bits"], 32);
  EXPECT_EQ(data_of(record)["index_bits"], 16);
  const auto half = train_with("half", record);
  EXPECT_EQ(data_of(record)["value_bits"], 16);
  // Each value moves by at most one part in 2048, so a margin does by no more than that of the sum of its terms.
  EXPECT_NEAR(half["train_loss"].get<double>(), single["train_loss"].get<double>(), 0.01);
  EXPECT_NEAR(half["test_accuracy"].get<double>(), single["test_accuracy"].get<double>(), 0.03);
  EXPECT_EQ(hogwild({"evaluate", *folder / "m.bin", test()}).code, 0);
}

TEST_F(values_option, each_precision_has_a_cache_and_inspect_tells_them_apart) {
  (void)train_with("float", *folder / "a.jsonl");
  (void)train_with("half", *folder / "b.jsonl");
  std::size_t rounded = 0, as_read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder->path())) {
    const std::string path = entry.path().string();
    if (!path.starts_with(train()) || entry.path().extension() != ".hogwild") continue;
    const auto facts = result_of({"inspect", path, "--verify --json"});
    const double bytes = facts["bytes"].get<double>() / facts["nonzeros"].get<double>();
    EXPECT_DOUBLE_EQ(facts["bytes_per_nonzero"], bytes);
    EXPECT_EQ(facts["value_bits"], facts["values_rounded"] == true ? 16 : 32);
    (facts["values_rounded"] == true ? rounded : as_read) += 1;
  }
  EXPECT_EQ(rounded, 1u);
  EXPECT_EQ(as_read, 1u);
}

}  // namespace
}  // namespace hogwild::test
