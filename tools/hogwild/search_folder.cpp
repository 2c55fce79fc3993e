// SPDX-License-Identifier: Apache-2.0
#include "search_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include <hogwild/error.hpp>

namespace hogwild::cli {

namespace fs = std::filesystem;

search_folder::search_folder(const std::string& journal)
    : path_(journal.empty() ? fs::temp_directory_path() / "hogwild-search-XXXXXX" : fs::path(journal + ".trials")),
      temporary_(journal.empty()) {
  if (!temporary_) return;
  std::string name = path_.string();
  const auto make = [&] {
    if (::mkdtemp(name.data()) == nullptr)
      throw resource_error("cannot make the folder " + name + ": " + std::generic_category().message(errno) +
                           "; name a --journal, beside which it goes");
    path_ = name;
  };
  at_once_ = cleanup_handler::of_what(make, [this] { remove(); });
}

search_folder::~search_folder() {
  if (temporary_) remove();
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
  if (temporary_) {
    // Where the process is ended at once, a thread may be putting one more file in place.
    for (int tries = 0; tries < 10 && fs::exists(path_, ignored); ++tries) fs::remove_all(path_, ignored);
    return;
  }
  // Nothing that somebody else has put there.
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
