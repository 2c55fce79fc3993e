// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/images.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace hogwild {
namespace {

class images_data : public testing::Test {
 protected:
  void SetUp() override {
    const char* const named = std::getenv("HOGWILD_DATA_DIR");
    if (named == nullptr || !std::filesystem::exists(named))
      GTEST_SKIP() << "HOGWILD_DATA_DIR names no folder with data sets";
    folder = named;
  }
  std::string file(const std::string& name) const {
    const std::filesystem::path path = folder / name;
    return std::filesystem::exists(path) ? path.string() : std::string();
  }
  static std::array<std::size_t, 10> histogram(const sparse_dataset& data) {
    std::array<std::size_t, 10> counts{};
    for (const double label : data.view().label) ++counts.at(static_cast<std::size_t>(label));
    return counts;
  }

  std::filesystem::path folder;
  open_options uncached{.cache = open_options::cache_use::none};
};

TEST_F(images_data, mnist_is_what_its_authors_say) {
  const std::string train = file("train-images-idx3-ubyte.gz"), test = file("t10k-images-idx3-ubyte.gz");
  if (train.empty() || test.empty()) GTEST_SKIP() << "the folder has no MNIST";
  const sparse_dataset data = open_idx(train, {}, uncached);
  EXPECT_EQ(data.rows(), 60'000u);
  EXPECT_EQ(histogram(data), (std::array<std::size_t, 10>{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
  open_options through = uncached;
  through.numbering = &data.numbering();
  const sparse_dataset other = open_idx(test, {}, through);
  EXPECT_EQ(other.rows(), 10'000u);
  EXPECT_EQ(histogram(other), (std::array<std::size_t, 10>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
}

TEST_F(images_data, cifar_batches_hold_every_class) {
  const std::string batch = file("cifar10_data_batch_1.bin.xz");
  if (batch.empty()) GTEST_SKIP() << "the folder has no CIFAR-10";
  EXPECT_EQ(detect_image_format(batch), image_format::cifar);
  const sparse_dataset data = open_cifar(batch, uncached);
  EXPECT_EQ(data.rows(), 10'000u);
  EXPECT_EQ(data.features(), 3072u);
  for (const std::size_t count : histogram(data)) EXPECT_NEAR(static_cast<double>(count), 1000.0, 100.0);
}

}  // namespace
}  // namespace hogwild
