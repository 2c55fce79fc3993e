// SPDX-License-Identifier: Apache-2.0
#include "search_folder.hpp"

#include <system_error>
#include <vector>

namespace hogwild::cli {

namespace fs = std::filesystem;

search_folder::search_folder(const std::string& journal) {
  if (journal.empty()) {
    temporary_.emplace("hogwild-search-", ", or name a --journal, beside which it goes");
    path_ = temporary_->path();
  } else {
    path_ = journal + ".trials";
    remove_left_asides(path_);
  }
}

fs::path search_folder::checkpoint(std::size_t trial, std::size_t part) const {
  return path_ / (std::to_string(trial) + "." + std::to_string(part));
}

fs::path search_folder::checkpoint_to_write(std::size_t trial, std::size_t part) const {
  if (!temporary_) fs::create_directories(path_);
  return checkpoint(trial, part);
}

void search_folder::forget(std::size_t trial, std::size_t parts) const {
  std::error_code ignored;
  for (std::size_t part = 0; part < parts; ++part) {
    const fs::path kept = checkpoint(trial, part);
    fs::remove(kept, ignored);
    fs::remove(kept.string() + ".previous", ignored);
  }
}

void search_folder::remove() const {
  std::error_code ignored;
  if (temporary_) return temporary_->remove();
  // Removes nothing that others have put there.
  std::vector<fs::path> ours;
  for (fs::directory_iterator at(path_, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const std::size_t point = name.find_first_not_of("0123456789");
    if (point != std::string::npos && point > 0 && name[point] == '.') ours.push_back(at->path());
  }
  for (const fs::path& path : ours) fs::remove(path, ignored);
  fs::remove(path_, ignored);
}

}  // namespace hogwild::cli
