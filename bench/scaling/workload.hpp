// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <hogwild/dataset.hpp>

#include "options.hpp"
#include "temporary_folder.hpp"

namespace hogwild::bench {

/// The rows that everything is measured on, mapped from their caches. Generated text lives in a folder of its own for
/// as long as the object does.
class workload {
 public:
  /// Throws what open_libsvm and the generator throw.
  explicit workload(const bench_options& options);

  const std::string& name() const { return name_; }
  const std::filesystem::path& text() const { return text_; }
  const sparse_dataset& train() const { return *train_; }
  std::optional<sparse_view> test() const { return test_ ? std::optional<sparse_view>(test_->view()) : std::nullopt; }

 private:
  void open(const std::string& train, const std::string& test, bool half);

  std::string name_;
  std::optional<temporary_folder> folder_;
  std::filesystem::path text_;
  std::optional<sparse_dataset> train_, test_;
};

}  // namespace hogwild::bench
