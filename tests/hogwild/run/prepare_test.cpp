// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/prepare.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/run/common_columns.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/ranks.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::ElementsAre;

namespace {

/// Rows whose first column is the same large value: sixteen of them at once walk sixteen times as far along it.
test::toy_rows rows_with_one_long_column() {
  test::toy_rows toy;
  toy.columns = 21;
  for (std::uint32_t r = 0; r < 3200; ++r) toy.push({0, 1 + r % 20}, {3.0f, 1.0f}, 5.0f + static_cast<float>(r % 7));
  return toy;
}

struct shortened_batch : testing::Test {
  const test::kept_rows data = rows_with_one_long_column();
  const double curvature = largest_eigenvalue(data.view());

  train_result trained(double step, std::size_t batch) const {
    return train(least_squares{}, data.view(), serial_engine{},
                 {.epochs = 3, .step = {.initial = step}, .batch = batch});
  }
};

TEST_F(shortened_batch, has_as_many_rows_as_a_given_step_allows) {
  for (const std::size_t allowed : {1u, 5u, 11u}) {
    const double step = 1.0 / (curvature * (static_cast<double>(allowed) + 0.5));
    const train_result run = trained(step, 16);
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(run.parameters, trained(step, allowed).parameters);
    if (allowed > 1) {
      EXPECT_NE(run.parameters, trained(step, allowed - 1).parameters);
    }
  }
}

TEST_F(shortened_batch, is_what_was_asked_for_where_the_step_allows_it) {
  const double step = 1.0 / (curvature * 40.0);
  EXPECT_NE(trained(step, 16).parameters, trained(step, 15).parameters);
  EXPECT_NE(trained(step, 4).parameters, trained(step, 5).parameters);
}

using row_as_map = std::pair<double, std::map<std::uint32_t, float>>;

/// Rows by the column numbers of the files, sorted: each dataset shuffles its rows in its own way.
std::vector<row_as_map> rows_of(const sparse_view& rows, const column_numbering& numbering) {
  row_cursor cursor(rows);
  std::vector<row_as_map> all;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    row_as_map row{rows.label[r], {}};
    for (const auto [j, x] : cursor.row(r)) row.second[numbering.original()[j]] = x;
    all.push_back(row);
  }
  std::ranges::sort(all);
  return all;
}

TEST(common_columns, are_ordered_by_all_ranks_rows_together) {
  const test::scratch_folder folder;
  const std::vector<std::string> files = {"1 2:1 7:2\n-1 7:3\n1 2:4 7:5\n", "-1 5:1 9:2\n1 5:3 7:4\n", "1 9:1\n"};
  std::vector<std::vector<std::uint32_t>> original(3), degree(3);
  std::vector<std::vector<row_as_map>> before(3), after(3);
  test::as_sound_ranks(3, [&](const test::rank_place& place) {
    const std::string path = folder / ("part" + std::to_string(place.rank));
    std::ofstream(path) << files[place.rank];
    const sparse_dataset mine = open_libsvm(path);
    const common_columns common(mine, agreement(&place.ranks));
    const sparse_view view = common.view();
    EXPECT_EQ(view.columns, 4u);
    EXPECT_TRUE(view.has_narrow_index());
    original[place.rank].assign(common.numbering().original().begin(), common.numbering().original().end());
    degree[place.rank].assign(view.degree.begin(), view.degree.end());
    before[place.rank] = rows_of(mine.view(), mine.numbering());
    after[place.rank] = rows_of(view, common.numbering());
  });
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_THAT(original[r], ElementsAre(7, 2, 5, 9));  // 4, 2, 2 and 2 rows
    EXPECT_THAT(degree[r], ElementsAre(4, 2, 2, 2));
    EXPECT_EQ(after[r], before[r]);
  }
}

}  // namespace
