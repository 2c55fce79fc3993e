// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "rivals/export.hpp"
#include "temporary_folder.hpp"
#include "workload.hpp"

namespace hogwild::bench {

/// The rows as files that rivals read, in a folder of its own that lives as long as the object. A file is written when
/// the first rival asks for it, outside of everything timed.
class rival_files {
 public:
  explicit rival_files(const workload& data);

  std::filesystem::path train(export_format format);
  std::filesystem::path test(export_format format);
  /// A place for a file of the rival's own: a model, a log.
  std::filesystem::path scratch(const std::string& name) const { return folder_ / name; }
  /// What rivals call the column with the input number n.
  const exported_columns& columns() const { return columns_; }

 private:
  std::filesystem::path written(const std::string& name, const sparse_view& rows, export_format format);

  const workload& data_;
  label_map labels_;
  exported_columns columns_;
  temporary_folder folder_{"rivals"};
  std::set<std::filesystem::path> ready_;
};

}  // namespace hogwild::bench
