// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace hogwild::bench {

/// An empty folder for this object alone, under a name that nobody can guess; removed with all it holds at the end.
class temporary_folder {
 public:
  /// In the system's folder for such things, "hogwild-PURPOSE-" and six characters. Throws resource_error.
  explicit temporary_folder(const std::string& purpose);
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace hogwild::bench
