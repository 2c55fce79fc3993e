// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <generate/generate.hpp>

namespace hogwild::bench {

workload::workload(const bench_options& options) {
  if (!options.generated) {
    name_ = std::filesystem::path(options.train).filename().string();
    open(options.train, options.test, options.half);
    return;
  }
  name_ = "generated";
  folder_.emplace("bench");
  const auto train = *folder_ / "train.svm", test = *folder_ / "test.svm";
  generate::write_files(options.shape, train, test);
  open(train.string(), test.string(), options.half);
}

void workload::open(const std::string& train, const std::string& test, bool half) {
  text_ = train;
  const value_precision values = half ? value_precision::half : value_precision::single;
  train_ = open_libsvm(train, {.values = values});
  if (!test.empty()) test_ = open_libsvm(test, {.numbering = &train_->numbering(), .values = values});
}

}  // namespace hogwild::bench
