// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <hogwild/dataset.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

/// The result of an independent count of the published files.
struct counted {
  const char* file;
  std::size_t rows, largest_index, nonzeros, positive;
};
void PrintTo(const counted& set, std::ostream* out) {
  *out << set.file;
}

class libsvm_data : public ::testing::TestWithParam<counted> {};

TEST_P(libsvm_data, has_the_counted_rows_entries_and_labels) {
  const char* const folder = std::getenv("HOGWILD_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
  const counted& expected = GetParam();
  const auto source = std::filesystem::path(folder) / (std::string(expected.file) + ".libsvm.xz");
  if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
  const test::scratch_folder scratch;
  const auto link = scratch.path() / source.filename();
  std::filesystem::create_symlink(source, link);  // so that the cache goes beside the link

  const sparse_dataset data = open_libsvm(link.string());
  EXPECT_FALSE(data.from_cache());
  EXPECT_EQ(data.rows(), expected.rows);
  EXPECT_EQ(data.nonzeros(), expected.nonzeros);
  const auto numbers = data.numbering().original();
  EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), expected.largest_index);
  EXPECT_LE(data.features(), expected.largest_index);
  const auto labels = data.view().label;
  const auto positive = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 1.0));
  if (expected.positive > 0) {
    EXPECT_EQ(positive, expected.positive);
  }
  data.verify();

  const sparse_dataset warm = open_libsvm(link.string());
  EXPECT_TRUE(warm.from_cache());
  warm.verify();
}

INSTANTIATE_TEST_SUITE_P(
    sets, libsvm_data,
    ::testing::Values(
        counted{"a9a", 32561, 123, 451592, 7841}, counted{"a9a.t", 16281, 122, 225731, 3846},
        counted{"abalone_scale", 4177, 8, 32080, 0}, counted{"agaricus", 6513, 126, 143286, 3140},
        counted{"agaricus.t", 1611, 126, 35442, 776}, counted{"heart_scale", 270, 13, 3378, 120},
        counted{"imdb.train", 25000, 47603, 3496081, 12500}, counted{"imdb.test", 25000, 47603, 3396050, 12500},
        counted{"kddcup99.train", 494021, 119, 6179964, 396743}, counted{"kddcup99.test", 311029, 119, 3884920, 250436},
        counted{"news20bydate.train", 11314, 1691494, 4951641, 5790},
        counted{"news20bydate.test", 7532, 1691492, 3182106, 3855},
        counted{"rcv1_small.train", 1000, 47117, 77739, 459}, counted{"rcv1_small.test", 500, 47042, 39448, 245},
        counted{"reuters21578.train", 9603, 28743, 670789, 4511},
        counted{"reuters21578.test", 3299, 28742, 206702, 1803}, counted{"reuters_acq.train", 2000, 9947, 94790, 1000},
        counted{"reuters_acq.test", 600, 9930, 23730, 300}, counted{"sgemm", 241600, 14, 2699584, 0},
        counted{"skin_nonskin", 245057, 3, 722427, 50859}));

}  // namespace
}  // namespace hogwild
