// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/common_columns.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>

#include "support/ranks.hpp"
#include "support/scratch_folder.hpp"

using namespace hogwild;
using testing::ElementsAre;

namespace {

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
