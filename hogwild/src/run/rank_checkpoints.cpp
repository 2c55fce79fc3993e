// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/rank_checkpoints.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr const char* ranks_section = "ranks";

resumed_checkpoint read_resumed(const std::string& path) {
  resumed_checkpoint file{.path = path};
  file.state = read_checkpoint(path, [&](std::string_view sentence) { file.note = sentence; });
  return file;
}

/// The number of ranks and the epoch that the first rank's file names.
std::array<double, 2> named_by(const checkpoint& state) {
  const bool of_several = state.find(ranks_section) != nullptr;
  const std::uint64_t ranks = of_several ? state.get<std::uint64_t>(ranks_section) : 1;
  return {static_cast<double>(ranks), static_cast<double>(state.epoch)};
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

}  // namespace

std::string checkpoint_of_rank(const std::string& path, const agreement& ranks) {
  return ranks.alone() ? path : path + ".rank" + std::to_string(ranks.rank());
}

void name_epoch(const std::string& path, std::uint64_t epoch, const agreement& ranks) {
  if (ranks.alone()) return;
  ranks.any(false);  // all have written theirs
  if (ranks.rank() == 0) {
    checkpoint manifest{.epoch = epoch};
    manifest.put(ranks_section, std::uint64_t{ranks.size()});
    write_checkpoint(path, manifest);
  }
  ranks.any(false);  // nobody overwrites the epoch before this one until then
}

resumed_checkpoint resume_of_rank(const std::string& path, const agreement& ranks) {
  std::string why;
  std::array<double, 2> named{};  // no ranks: the first one could read nothing
  resumed_checkpoint first;
  try {
    if (ranks.rank() == 0) {
      first = read_resumed(path);
      named = named_by(first.state);
    }
  } catch (const input_error& e) {
    why = e.what();
  }
  ranks.take_first(named);
  const auto before = static_cast<std::size_t>(named[0]);
  const auto epoch = static_cast<std::uint64_t>(named[1]);
  if (before == 0)
    throw input_error(ranks.rank() == 0 ? why : path + " cannot be read by rank 0, which knows where to go on");
  if (before != ranks.size()) {
    throw config_error(path + " is of a run of " + std::to_string(before) + (before == 1 ? " rank" : " ranks") +
                       ", and this one has " + std::to_string(ranks.size()) + ": resume with as many");
  }
  if (ranks.alone()) return first;
  const std::string own = atomic_file::target_of(checkpoint_of_rank(path, ranks)).string();
  std::optional<resumed_checkpoint> found;
  const std::string previous = own + ".previous";
  for (const std::string& file : {own, previous, atomic_file::next_of(previous).string()}) {
    found = resumed_of_epoch(file, epoch);
    if (found) break;
  }
  const bool all_found = !ranks.any(!found);
  if (!found) {
    throw input_error(own + " and " + previous + " are not whole checkpoints of epoch " + std::to_string(epoch) +
                      ", which " + path + " names: begin anew");
  }
  // The next checkpoint takes the place of the one that is not named.
  if (std::error_code fault; found->path != own && (std::filesystem::rename(found->path, own, fault), fault))
    throw input_error(own + ": cannot be put in its place: " + fault.message());
  if (!all_found) throw input_error("another rank has no whole checkpoint of epoch " + std::to_string(epoch));
  found->path = own;
  return std::move(*found);
}

}  // namespace hogwild
