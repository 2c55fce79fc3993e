// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/model_checker.hpp"

namespace hogwild::test {

/// A test of control words with store buffers and without.
class under_every_schedule : public testing::TestWithParam<bool> {
 protected:
  void expect_sound(model_checker& checker) {
    EXPECT_EQ(checker.broken_sentences(), std::set<std::string>{}) << checker.schedule();
    situations_ += checker.situations();
    RecordProperty("situations", static_cast<int>(situations_));
  }

 private:
  std::size_t situations_ = 0;
};
inline std::string name_of_buffers(const testing::TestParamInfo<bool>& with) {
  return with.param ? "store_buffers" : "sequential_consistency";
}

}  // namespace hogwild::test
