// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/cache_registry.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <system_error>

#include <hogwild/error.hpp>

#include "data/cache_format.hpp"
#include "data/cache_place.hpp"
#include "platform/file_error.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace {

/// The contents of the file's header; nothing if it is not one of our caches.
std::optional<cache_info> look_at(const std::filesystem::path& path) {
  detail::unique_fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct ::stat state {};
  if (!fd || ::fstat(fd.get(), &state) != 0 || !S_ISREG(state.st_mode)) return std::nullopt;
  if (!detail::has_cache_magic(fd)) return std::nullopt;
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;  // being written
  cache_info info{.path = path, .bytes = static_cast<std::uint64_t>(state.st_size)};
  // Read, not mapped: it may belong to anybody, who may truncate it.
  detail::cache_header header;
  const ssize_t got = ::pread(fd.get(), &header, sizeof header, 0);
  const auto begin = std::as_bytes(std::span(&header, 1)).first(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  // Other versions and damaged files are listed too, so that purging finds them.
  if (!detail::header_fault(begin, info.bytes).empty()) return info;
  info.source_bytes = header.source_bytes;
  info.rows = header.rows;
  info.features = header.columns;
  info.nonzeros = header.nonzeros;
  info.valid = true;
  return info;
}

}  // namespace

std::vector<cache_info> list_caches(const std::filesystem::path& folder) {
  std::vector<cache_info> found;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (auto info = look_at(entry.path())) found.push_back(*std::move(info));
  } catch (const std::filesystem::filesystem_error& fault) {
    detail::throw_unreadable(folder.string(), fault.code().value());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

std::vector<cache_info> purge_caches(const std::filesystem::path& folder) {
  std::vector<cache_info> caches = list_caches(folder);
  for (const cache_info& cache : caches) {
    std::error_code fault;
    std::filesystem::remove(cache.path, fault);
    if (fault) throw resource_error(cache.path.string() + ": cannot be removed: " + fault.message());
  }
  return caches;
}

}  // namespace hogwild
