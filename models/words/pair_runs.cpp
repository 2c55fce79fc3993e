// SPDX-License-Identifier: Apache-2.0
#include "words/pair_runs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

#include "platform/aside_file.hpp"
#include "platform/file_error.hpp"

namespace hogwild::detail {
namespace {

/// Sorts pairs and joins equal ones.
void join(std::vector<pair_count>& pairs) {
  std::ranges::sort(pairs, {}, &pair_count::key);
  std::size_t last = 0;
  for (std::size_t k = 1; k < pairs.size(); ++k) {
    if (pairs[k].key == pairs[last].key)
      pairs[last].count += pairs[k].count;
    else
      pairs[++last] = pairs[k];
  }
  if (!pairs.empty()) pairs.resize(last + 1);
}

}  // namespace

pair_runs::pair_runs(std::uint64_t memory, std::filesystem::path folder)
    : memory_(memory), folder_(std::move(folder)) {}

void pair_runs::add(std::vector<pair_count> pairs) {
  run added{.pairs = std::move(pairs)};
  for (const pair_count& pair : added.pairs) ++added.start[part_of(pair) + 1];
  for (std::size_t p = 0; p < parts; ++p) added.start[p + 1] += added.start[p];
  const std::scoped_lock lock(mutex_);
  held_ += added.pairs.size() * sizeof(pair_count);
  runs_.push_back(std::move(added));
  if (held_ > memory_ && !folder_.empty()) spill();
}

std::vector<pair_count> pair_runs::pairs(std::size_t part) const {
  std::vector<pair_count> all;
  for (const run& r : runs_) {
    const std::size_t before = all.size(), first = r.start[part], count = r.start[part + 1] - first;
    all.resize(before + count);
    const auto to = std::span(all).subspan(before);
    if (r.pairs.empty())
      read(r.offset + first * sizeof(pair_count), to);
    else
      std::ranges::copy(std::span(r.pairs).subspan(first, count), to.begin());
  }
  join(all);
  return all;
}

/// Makes one run in the file of all that are in memory.
void pair_runs::spill() {
  if (!fd_ && !(fd_ = open_nameless(folder_))) return folder_.clear();
  const auto in_memory = std::partition(runs_.begin(), runs_.end(), [](const run& r) { return r.pairs.empty(); });
  pair_runs held(0, {});
  std::move(in_memory, runs_.end(), std::back_inserter(held.runs_));
  runs_.erase(in_memory, runs_.end());
  run joined{.offset = written_};
  for (std::size_t p = 0; p < parts; ++p) {
    const std::vector<pair_count> part = held.pairs(p);
    joined.start[p + 1] = joined.start[p] + part.size();
    written_ += part.size() * sizeof(pair_count);
    require_file_size("the file for pairs of words in " + folder_.string(), written_);
    write_all(fd_.get(), std::as_bytes(std::span(part)), "the file for pairs of words in " + folder_.string());
  }
  runs_.push_back(std::move(joined));
  held_ = 0;
}

void pair_runs::read(std::uint64_t offset, std::span<pair_count> to) const {
  for (auto room = std::as_writable_bytes(to); !room.empty();) {
    const ::ssize_t n = ::pread(fd_.get(), room.data(), room.size(), static_cast<::off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw resource_error("the file for pairs of words in " + folder_.string() +
                           " cannot be read: " + std::generic_category().message(n < 0 ? errno : EIO));
    offset += static_cast<std::uint64_t>(n);
    room = room.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace hogwild::detail
