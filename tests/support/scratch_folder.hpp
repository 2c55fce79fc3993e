// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hogwild::test {

/// An empty folder for one test, removed with its contents at the end.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = ::testing::TempDir() + "hogwild.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test: " + name);
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file, in folders that are made where there are none, and returns its path.
  std::string write(const std::string& name, std::string_view contents) const {
    const std::string place = (path_ / name).string();
    std::error_code ignored;
    std::filesystem::create_directories((path_ / name).parent_path(), ignored);
    std::ofstream(place, std::ios::binary).write(contents.data(), static_cast<std::streamsize>(contents.size()));
    return place;
  }
  /// How many files and folders it holds.
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline void write_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace hogwild::test
