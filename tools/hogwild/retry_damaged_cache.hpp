// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <hogwild/error.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// Returns work(). A damaged dataset cache costs one note and the time to parse the text again: it is removed, and the
/// work is repeated, once. The writer of the new cache reports whether there is one.
template <class Work>
auto retry_damaged_cache(const Work& work) {
  try {
    return work();
  } catch (const cache_error& e) {
    std::error_code ignored;
    if (!std::filesystem::remove(e.path(), ignored)) throw;
    say(std::string(e.what()) + "; it is removed, and the data are read again");
  }
  return work();
}

}  // namespace hogwild::cli
