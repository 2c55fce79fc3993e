// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <hogwild/dataset.hpp>

#include <generate/generate.hpp>

#include "support/scratch_folder.hpp"

// How many bytes a nonzero takes in a cache, on sets of at most 65,536 columns.

namespace hogwild {
namespace {

double bytes_per_nonzero(const std::filesystem::path& source, value_precision values) {
  const sparse_dataset data =
      open_libsvm(source.string(), {.cache = open_options::cache_use::rebuild, .values = values});
  data.verify();
  EXPECT_LE(data.features(), 65'536u);
  return static_cast<double>(std::filesystem::file_size(data.shared_path())) / static_cast<double>(data.nonzeros());
}

/// Besides its index and value an entry takes its share of header, rows, labels and columns.
struct tables_of {
  const char* file;
  double bytes = 0.1;             ///< a nonzero, at most
  bool halves_are_exact = false;  ///< values are halves without rounding
};
void PrintTo(const tables_of& set, std::ostream* out) {
  *out << set.file;
}

class cache_bytes : public ::testing::TestWithParam<tables_of> {};

TEST_P(cache_bytes, are_index_and_value_and_little_more) {
  const char* const folder = std::getenv("HOGWILD_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "HOGWILD_DATA_DIR is not set";
  const tables_of& set = GetParam();
  const auto source = std::filesystem::path(folder) / (std::string(set.file) + ".libsvm.xz");
  if (!std::filesystem::exists(source)) GTEST_SKIP() << source << " is not there";
  const test::scratch_folder scratch;
  const auto link = scratch.path() / source.filename();
  std::filesystem::create_symlink(source, link);  // so that the cache goes beside the link
  EXPECT_LE(bytes_per_nonzero(link, value_precision::half), 4 + set.bytes);
  EXPECT_LE(bytes_per_nonzero(link, value_precision::single), (set.halves_are_exact ? 4 : 6) + set.bytes);
}

INSTANTIATE_TEST_SUITE_P(
    sets, cache_bytes,
    ::testing::Values(tables_of{"a9a", 0.1, true}, tables_of{"a9a.t", 0.1, true}, tables_of{"agaricus", 0.1, true},
                      tables_of{"agaricus.t", 0.1, true}, tables_of{"imdb.train"}, tables_of{"imdb.test"},
                      tables_of{"kddcup99.train"}, tables_of{"kddcup99.test"}, tables_of{"reuters21578.train"},
                      tables_of{"reuters21578.test"}, tables_of{"skin_nonskin", 0.1, true},
                      // Small sets of text have as few as four entries a column, whose number takes a byte.
                      tables_of{"reuters_acq.train", 0.11}, tables_of{"reuters_acq.test", 0.23},
                      tables_of{"rcv1_small.train", 0.17}, tables_of{"rcv1_small.test", 0.24},
                      // 28 labels for rows of eight entries; 3378 entries for a header; and labels that are numbers.
                      tables_of{"abalone_scale", 0.12}, tables_of{"heart_scale", 0.25}, tables_of{"sgemm", 0.76, true}),
    [](const auto& set) {
      std::string name = set.param.file;
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST(cache_bytes_of_generated_rows, are_index_and_value_and_little_more) {
  const test::scratch_folder scratch;
  const auto source = scratch.path() / "train.svm";
  generate::write_files({}, source, std::nullopt);
  EXPECT_LE(bytes_per_nonzero(source, value_precision::half), 4.1);
  EXPECT_LE(bytes_per_nonzero(source, value_precision::single), 6.1);
}

}  // namespace
}  // namespace hogwild
