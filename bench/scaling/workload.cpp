// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <unistd.h>

#include <generate/generate.hpp>
#include <system_error>

namespace hogwild::bench {

workload::workload(const bench_options& options) {
  if (!options.generated) {
    name_ = std::filesystem::path(options.train).filename().string();
    open(options.train, options.test, options.half);
    return;
  }
  name_ = "generated";
  folder_ = std::filesystem::temp_directory_path() / ("hogwild-bench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder_);
  try {
    const auto train = folder_ / "train.svm", test = folder_ / "test.svm";
    generate::write_files(options.shape, train, test);
    open(train.string(), test.string(), options.half);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw;
  }
}

workload::~workload() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void workload::open(const std::string& train, const std::string& test, bool half) {
  text_ = train;
  const value_precision values = half ? value_precision::half : value_precision::single;
  train_ = open_libsvm(train, {.values = values});
  if (!test.empty()) test_ = open_libsvm(test, {.numbering = &train_->numbering(), .values = values});
}

}  // namespace hogwild::bench
