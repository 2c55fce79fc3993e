// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/cache_registry.hpp>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/error.hpp>

#include "data/cache_format.hpp"
#include "data/dataset_writer.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using test::read_text;
using test::scratch_folder;

TEST(cache_registry, lists_what_is_a_cache_by_its_contents) {
  const scratch_folder folder;
  const std::string source = folder.write("a.svm", "1 1:1 2:1\n-1 3:1\n");
  open_libsvm(source, {.threads = 1});
  const std::string bytes = read_text(source + ".hogwild");
  folder.write("renamed.bin", bytes);
  folder.write("torn.hogwild", bytes.substr(0, bytes.size() - 1));
  folder.write("notes.hogwild", "the user's own file");
  const std::vector<cache_info> found = list_caches(folder.path());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].path, source + ".hogwild");
  EXPECT_EQ(found[0].source_bytes, 17u);
  EXPECT_EQ(found[0].rows, 2u);
  EXPECT_EQ(found[0].features, 3u);
  EXPECT_EQ(found[0].nonzeros, 3u);
  EXPECT_EQ(found[0].bytes, bytes.size());
  EXPECT_TRUE(found[0].valid);
  EXPECT_TRUE(found[1].valid);
  EXPECT_FALSE(found[2].valid);
}

TEST(cache_registry, purges_caches_and_nothing_else) {
  const scratch_folder folder;
  const std::string source = folder.write("a.svm", "1 1:1\n");
  const sparse_dataset mapped = open_libsvm(source, {.threads = 1});
  folder.write("notes.hogwild", "the user's own file");
  EXPECT_EQ(purge_caches(folder.path()).size(), 1u);
  EXPECT_EQ(folder.entries(), 2u);
  EXPECT_TRUE(std::filesystem::exists(source));
  EXPECT_TRUE(list_caches(folder.path()).empty());
  mapped.verify();
}

TEST(cache_registry, one_that_is_being_written_is_left_alone) {
  const scratch_folder folder;
  detail::cache_header sizes;
  sizes.rows = sizes.columns = sizes.nonzeros = 1;
  {
    const detail::dataset_writer unfinished = detail::dataset_writer::at(folder.path() / "x.hogwild", sizes);
    EXPECT_EQ(folder.entries(), 1u);
    EXPECT_TRUE(purge_caches(folder.path()).empty());
  }
  EXPECT_EQ(folder.entries(), 0u);  // an abandoned one is removed
}

TEST(cache_registry, a_missing_folder_is_an_input_error) {
  EXPECT_THROW(list_caches("/no/such/folder"), input_error);
}

}  // namespace
}  // namespace hogwild
