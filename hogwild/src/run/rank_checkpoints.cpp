// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/rank_checkpoints.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr const char* ranks_section = "ranks";
constexpr const char* alike_section = "alike";

/// The contents of PATH: how many ranks have written files, of which epoch.
struct named_epoch {
  std::size_t ranks = 0;  ///< 0: it cannot be read by this rank
  std::uint64_t epoch = 0;
  bool alike = false;
};

resumed_checkpoint read_resumed(const std::string& path) {
  resumed_checkpoint file{.path = path};
  file.state = read_checkpoint(path, [&](std::string_view sentence) { file.note = sentence; });
  return file;
}

named_epoch named_by(const checkpoint& state) {
  const bool of_several = state.find(ranks_section) != nullptr;
  return {.ranks = of_several ? static_cast<std::size_t>(state.get<std::uint64_t>(ranks_section)) : 1,
          .epoch = state.epoch,
          .alike = state.find(alike_section) != nullptr};
}

/// The latest epoch that any rank has found.
named_epoch latest(const named_epoch& mine, const agreement& ranks) {
  const std::vector<double> all =
      ranks.gathered({static_cast<double>(mine.ranks), static_cast<double>(mine.epoch), mine.alike ? 1.0 : 0.0});
  named_epoch found;
  for (std::size_t at = 0; at < all.size(); at += 3) {
    const named_epoch one{static_cast<std::size_t>(all[at]), static_cast<std::uint64_t>(all[at + 1]), all[at + 2] != 0};
    if (one.ranks > 0 && (found.ranks == 0 || one.epoch > found.epoch)) found = one;
  }
  return found;
}

std::optional<resumed_checkpoint> resumed_of_epoch(const std::string& path, std::uint64_t epoch) {
  try {
    resumed_checkpoint file = read_resumed(path);
    if (file.state.epoch == epoch) return file;
  } catch (const input_error&) {
    // Then there is none.
  }
  return std::nullopt;
}

std::string file_of(const std::string& path, std::size_t rank) {
  return atomic_file::target_of(path + ".rank" + std::to_string(rank)).string();
}

/// If PATH is lost: the latest epoch of which a rank has left a file here, in a run whose ranks had one state.
named_epoch named_by_files(const std::string& path) {
  namespace fs = std::filesystem;
  named_epoch found;
  const std::string begin = fs::path(path).filename().string() + ".rank";
  const fs::path folder = fs::path(path).parent_path();
  std::error_code unreadable;
  fs::directory_iterator at(folder.empty() ? "." : folder, unreadable);
  for (; !unreadable && at != fs::directory_iterator(); at.increment(unreadable)) {
    const std::string name = at->path().filename().string();
    std::size_t rank = 0;
    if (!name.starts_with(begin)) continue;
    const char* const last = name.data() + name.size();
    const auto [end, fault] = std::from_chars(name.data() + begin.size(), last, rank);
    if (fault != std::errc() || (end != last && std::string_view(end, last) != ".previous")) continue;
    try {
      const named_epoch one = named_by(read_checkpoint(at->path().string()));
      if (!one.alike) continue;
      // At least two: a single rank has no file of this name.
      found = {std::max({found.ranks, rank + 1, std::size_t{2}}), std::max(found.epoch, one.epoch), true};
    } catch (const error&) {
      // Another rank's file may be whole.
    }
  }
  return found;
}

/// The checkpoint that rank `rank` wrote at that epoch, under its own or its previous name.
std::optional<resumed_checkpoint> written_by(std::size_t rank, const std::string& path, std::uint64_t epoch) {
  const std::string own = file_of(path, rank), previous = own + ".previous";
  for (const std::string& file : {own, previous, atomic_file::next_of(previous).string()})
    if (auto found = resumed_of_epoch(file, epoch)) return found;
  return std::nullopt;
}

/// Renames it, so that the next checkpoint replaces the one that is not named.
void put_in_its_place(resumed_checkpoint& found, const std::string& own) {
  if (std::error_code fault; found.path != own && (std::filesystem::rename(found.path, own, fault), fault))
    throw input_error(own + ": cannot be put in its place: " + fault.message());
  found.path = own;
}

std::string files_text(const std::string& own, std::uint64_t epoch, const std::string& path) {
  return own + " and " + own + ".previous are not whole checkpoints of epoch " + std::to_string(epoch) + ", which " +
         path + " names: begin anew";
}

/// The file of this rank, for a run whose ranks have states of their own.
resumed_checkpoint resume_own(const std::string& path, const named_epoch& named, const agreement& ranks) {
  const std::string own = file_of(path, ranks.rank());
  std::optional<resumed_checkpoint> found = written_by(ranks.rank(), path, named.epoch);
  const bool all_found = !ranks.any(!found);
  if (!found) throw input_error(files_text(own, named.epoch, path));
  put_in_its_place(*found, own);
  if (!all_found) throw input_error("another rank has no whole checkpoint of epoch " + std::to_string(named.epoch));
  return std::move(*found);
}

/// The state that rank `root` has found, on all ranks.
checkpoint state_taken_from(std::size_t root, const checkpoint& mine, const agreement& ranks) {
  std::vector<std::byte> bytes;
  if (ranks.rank() == root) bytes = checkpoint_bytes(mine);
  auto size = static_cast<double>(bytes.size());
  ranks.take(std::span(&size, 1), root);
  bytes.resize(static_cast<std::size_t>(size));
  std::vector<double> words((bytes.size() + sizeof(double) - 1) / sizeof(double));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  ranks.take(words, root);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return parse_checkpoint(bytes, "the checkpoint of rank " + std::to_string(root));
}

/// For a run whose ranks have one state: the file of this rank, or the state of a rank that has found one. `first` is
/// the checkpoint at PATH itself, if one rank wrote it.
resumed_checkpoint resume_any(const std::string& path, const named_epoch& named,
                              std::optional<resumed_checkpoint> first, const agreement& ranks) {
  std::optional<resumed_checkpoint> found;
  std::size_t by = ranks.rank();
  if (named.ranks == 1 && first && first->state.epoch == named.epoch) found = std::move(first);
  if (named.ranks > 1 && by < named.ranks) found = written_by(by, path, named.epoch);
  if (found && named.ranks > 1) put_in_its_place(*found, file_of(path, by));
  for (std::size_t k = 0; named.ranks > 1 && !found && k < named.ranks; ++k)
    found = written_by(by = k, path, named.epoch);
  std::vector<double> has(ranks.size());
  has[ranks.rank()] = found ? 1.0 : 0.0;
  ranks.sum(has);
  const auto root = static_cast<std::size_t>(std::ranges::find(has, 1.0) - has.begin());
  if (root == ranks.size())
    throw input_error("no rank has a whole checkpoint of epoch " + std::to_string(named.epoch) + ", which " + path +
                      " names, as " + path + ".rankN or " + path + ".rankN.previous: begin anew");
  const bool all_have = std::ranges::count(has, 0.0) == 0;
  if (all_have) {
    if (by != ranks.rank() && ranks.rank() < named.ranks)
      found->note = "going on from " + found->path + ", as all ranks had the same state";
    return std::move(*found);
  }
  checkpoint state = state_taken_from(root, found ? found->state : checkpoint(), ranks);
  if (found) return std::move(*found);
  return {.path = path,
          .state = std::move(state),
          .note = "there is no checkpoint of epoch " + std::to_string(named.epoch) +
                  " here; going on from that of rank " + std::to_string(root) + ", as all ranks had the same state"};
}

}  // namespace

std::string checkpoint_of_rank(const std::string& path, const agreement& ranks) {
  return ranks.alone() ? path : path + ".rank" + std::to_string(ranks.rank());
}

void put_alike(checkpoint& file) {
  file.put(alike_section, std::uint64_t{1});
}

void name_epoch(const std::string& path, std::uint64_t epoch, bool alike, const agreement& ranks) {
  if (ranks.alone()) return;
  ranks.any(false);  // a barrier: all have written their files
  if (ranks.rank() == 0) {
    checkpoint manifest{.epoch = epoch};
    manifest.put(ranks_section, std::uint64_t{ranks.size()});
    if (alike) put_alike(manifest);
    write_checkpoint(path, manifest);
  }
  ranks.any(false);  // a barrier: nobody overwrites the previous epoch before PATH names this one
}

resumed_checkpoint resume_of_rank(const std::string& path, const agreement& ranks) {
  std::string why;
  std::optional<resumed_checkpoint> here;
  try {
    here = read_resumed(path);
  } catch (const input_error& e) {
    why = e.what();
  }
  named_epoch named = latest(here ? named_by(here->state) : named_epoch(), ranks);
  if (named.ranks == 0) named = latest(named_by_files(path), ranks);
  if (named.ranks == 0) throw input_error(why);
  if (named.alike) {
    if (ranks.alone() && named.ranks == 1) return std::move(*here);
    return resume_any(path, named, std::move(here), ranks);
  }
  if (named.ranks != ranks.size()) {
    throw config_error(path + " is of a run of " + std::to_string(named.ranks) +
                       (named.ranks == 1 ? " rank" : " ranks") + ", and this one has " + std::to_string(ranks.size()) +
                       ": resume with as many");
  }
  return ranks.alone() ? std::move(*here) : resume_own(path, named, ranks);
}

}  // namespace hogwild
