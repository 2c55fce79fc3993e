// SPDX-License-Identifier: Apache-2.0
#include <hogwild/dataset.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using test::scratch_folder;
using ::testing::ElementsAre;

TEST(sparse_dataset, copies_rows_held_in_memory) {
  const libsvm_rows rows = parse_libsvm("1 1:1 3:2\n2\n3 2:5 3:7\n");
  const sparse_dataset data = sparse_dataset::copy_of(rows.view());
  data.verify();
  const sparse_view view = data.view();
  EXPECT_EQ(data.features(), 3u);
  EXPECT_THAT(view.row_start, ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(view.index16, ElementsAre(0, 2, 1, 2));
  EXPECT_THAT(view.value16, ElementsAre(to_half(1.0f), to_half(2.0f), to_half(5.0f), to_half(7.0f)));
  EXPECT_THAT(view.label, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(view.degree, ElementsAre(1, 1, 2));
  EXPECT_EQ(data.original(2), 2u);  // columns in memory count from 0 and keep their numbers
  const sparse_dataset other = sparse_dataset::map(data.shared_path());
  other.verify();
  EXPECT_THAT(other.view().label, ElementsAre(1.0, 2.0, 3.0));
}

TEST(sparse_dataset, copies_a_slice) {
  const libsvm_rows rows = parse_libsvm("1 1:1 3:2\n2 1:4\n3 2:5 3:7\n");
  const sparse_dataset data = sparse_dataset::copy_of(rows.view().slice(1, 3));
  data.verify();
  EXPECT_THAT(data.view().row_start, ElementsAre(0, 1, 3));
  EXPECT_THAT(data.view().value16, ElementsAre(to_half(4.0f), to_half(5.0f), to_half(7.0f)));
}

TEST(sparse_dataset, many_blocks_are_sealed_each) {
  libsvm_rows rows;
  for (std::uint32_t r = 0; r < 40'000; ++r) {
    rows.index.insert(rows.index.end(), {r % 10, 10 + r % 17});
    rows.value.insert(rows.value.end(), {1.0f, 2.0f});
    rows.row_start.push_back(rows.index.size());
    rows.label.push_back(r);
  }
  rows.columns = 27;
  const sparse_dataset data = sparse_dataset::copy_of(rows.view());
  data.verify();
  const auto degree = data.view().degree;
  EXPECT_EQ(std::accumulate(degree.begin(), degree.end(), std::size_t{0}), data.nonzeros());
}

TEST(sparse_dataset, rows_that_do_not_hold_together_are_refused) {
  libsvm_rows rows = parse_libsvm("1 1:1 3:2\n2 1:4\n");
  rows.columns = 2;
  EXPECT_THROW(sparse_dataset::copy_of(rows.view()), input_error);
  rows.columns = 3;
  rows.row_start[1] = 99;
  EXPECT_THROW(sparse_dataset::copy_of(rows.view()), input_error);
  EXPECT_THROW(sparse_dataset::copy_of(libsvm_rows{}.view()), input_error);
}

TEST(sparse_dataset, map_refuses_what_is_no_cache) {
  const scratch_folder folder;
  for (const std::string& contents : {std::string(), std::string("1 1:1\n"), std::string(10'000, 'x')})
    EXPECT_THROW(sparse_dataset::map(folder.write("file", contents)), cache_error);
  EXPECT_THROW(sparse_dataset::map((folder.path() / "missing").string()), cache_error);
  EXPECT_THROW(sparse_dataset::map(folder.path().string()), cache_error);
}

TEST(sparse_dataset, handles_have_one_mapping) {
  const scratch_folder folder;
  const std::string path = folder.write("t", "1 1:1\n-1 2:1\n");
  const auto copy = [&] {
    const sparse_dataset data = open_libsvm(path, {.cache = open_options::cache_use::none, .threads = 1});
    return sparse_dataset(data);
  }();
  copy.verify();
  EXPECT_EQ(copy.rows(), 2u);
}

}  // namespace
}  // namespace hogwild
