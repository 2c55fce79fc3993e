// SPDX-License-Identifier: Apache-2.0
// A build without hnswlib.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace hogwild::test {
namespace {

TEST(missing_index, is_refused_with_what_to_install) {
  const scratch_folder folder;
  const outcome refused = hogwild({"neighbors", folder.write("v.vec", "2 1\na 1\nb 2\n"), "a --index hnsw"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, testing::HasSubstr("libhnswlib-dev"));
}

}  // namespace
}  // namespace hogwild::test
