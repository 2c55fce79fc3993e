// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <random>

#include <sys/mman.h>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/segments.hpp>

#include "memory/segment_file.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace {

using namespace std::chrono;
using detail::lock_file;

/// The time for which a segment without a finished header is left alone: its creator may not have locked it yet.
constexpr double half_made_grace_seconds = 3;

struct candidate {
  std::string name;
  detail::unique_fd fd{};
  struct stat file {};
  segment_header header{};

  bool ours() const { return header.magic == segment_magic; }
  bool finished() const { return ours() && header.ready != 0; }
  /// Nothing was written yet, or only our magic: never another program's file whose name begins like ours.
  bool half_made() const {
    return !finished() && (ours() || header.magic == 0) && (file.st_mode & 0777) == 0600 && file.st_uid == ::geteuid();
  }
};

/// Files whose names begin like ours and that can be read. Files that vanish meanwhile are left out.
std::vector<candidate> candidates() {
  std::vector<candidate> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(detail::segment_folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    candidate c{.name = at->path().filename().string()};
    if (!c.name.starts_with(detail::segment_prefix)) continue;
    c.fd = detail::unique_fd(::open(at->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!c.fd || ::fstat(c.fd.get(), &c.file) != 0 || !S_ISREG(c.file.st_mode)) continue;
    c.header = detail::read_header(c.fd.get());
    found.push_back(std::move(c));
  }
  std::ranges::sort(found, {}, &candidate::name);
  return found;
}

/// The creator of a segment, from a name in unique_segment_name()'s form.
std::optional<process_identity> named_creator(const std::string& name) {
  auto creator = process_identity::current();
  const char* const end = name.data() + name.size();
  const auto pid = std::from_chars(name.data() + detail::segment_prefix.size(), end, creator.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != '-') return {};
  const auto start = std::from_chars(pid.ptr + 1, end, creator.start_time);
  if (start.ec != std::errc{} || start.ptr == end || *start.ptr != '-') return {};
  return creator;
}

double seconds_since(nanoseconds unix_time) {
  return std::max(0.0, duration<double>(system_clock::now().time_since_epoch() - unix_time).count());
}

bool abandoned(const candidate& c) {
  if (c.finished()) return !c.header.owner.alive();
  if (!c.half_made()) return false;
  const auto changed = seconds(c.file.st_ctim.tv_sec) + nanoseconds(c.file.st_ctim.tv_nsec);
  if (seconds_since(changed) < half_made_grace_seconds) return false;
  const auto creator = named_creator(c.name);
  return !creator || !creator->alive();
}

}  // namespace

std::string unique_segment_name() {
  const auto self = process_identity::current();
  std::random_device entropy;
  char random[8];
  const auto end = std::to_chars(random, random + sizeof random, entropy(), 16).ptr;
  return std::string(detail::segment_prefix) + std::to_string(self.pid) + "-" + std::to_string(self.start_time) + "-" +
         std::string(random, end);
}

std::vector<segment_info> list_segments() {
  std::vector<segment_info> found;
  for (const candidate& c : candidates()) {
    if (!c.finished()) continue;
    const segment_header& h = c.header;
    // If the lock cannot be shared, the creator holds it and lives, though perhaps in a namespace where its number
    // means nothing to us.
    const bool alive = h.owner.alive() || !lock_file(c.fd.get(), LOCK_SH | LOCK_NB);
    found.push_back({.name = c.name,
                     .bytes = static_cast<std::uint64_t>(c.file.st_size),
                     .owner = h.owner,
                     .owner_alive = alive,
                     .age_seconds = seconds_since(nanoseconds(h.created_at)),
                     .model_name = detail::text_of(h.model_name),
                     .label = detail::text_of(h.label),
                     .uid = h.uid});
  }
  return found;
}

std::vector<std::string> purge_segments(segments_of whose) {
  std::vector<std::string> removed;
  for (const candidate& c : candidates()) {
    if (whose == segments_of::this_user && c.file.st_uid != ::geteuid()) continue;
    // Holding the creator's lock excludes other purges, so that nobody can put a new segment in its place between the
    // check of the name and its removal.
    if (!abandoned(c) || !lock_file(c.fd.get(), LOCK_EX | LOCK_NB) || !detail::names_file(c.name, c.fd.get())) continue;
    if (::shm_unlink(("/" + c.name).c_str()) == 0) removed.push_back(c.name);
  }
  return removed;
}

}  // namespace hogwild
