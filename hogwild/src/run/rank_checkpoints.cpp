// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/rank_checkpoints.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr const char* ranks_section = "ranks";

/// What the first rank reads; 0 ranks: nothing that can be read, `why` says why.
std::array<double, 2> read_manifest(const std::string& path, std::string& why) {
  try {
    const checkpoint file = read_checkpoint(path);
    const bool of_several = file.find(ranks_section) != nullptr;
    const std::uint64_t ranks = of_several ? file.get<std::uint64_t>(ranks_section) : 1;
    return {static_cast<double>(ranks), static_cast<double>(file.epoch)};
  } catch (const input_error& e) {
    why = e.what();
    return {0.0, 0.0};
  }
}

std::optional<std::uint64_t> epoch_of(const std::string& path) {
  try {
    return read_checkpoint(path).epoch;
  } catch (const input_error&) {
    return std::nullopt;
  }
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

std::string resume_of_rank(const std::string& path, const agreement& ranks) {
  std::string why;
  std::array<double, 2> named{};
  if (ranks.rank() == 0) named = read_manifest(path, why);
  ranks.take_first(named);
  const auto before = static_cast<std::size_t>(named[0]);
  const auto epoch = static_cast<std::uint64_t>(named[1]);
  if (before == 0)
    throw input_error(ranks.rank() == 0 ? why : path + " cannot be read by rank 0, which knows where to go on");
  if (before != ranks.size()) {
    throw config_error(path + " is of a run of " + std::to_string(before) + (before == 1 ? " rank" : " ranks") +
                       ", and this one has " + std::to_string(ranks.size()) + ": resume with as many");
  }
  if (ranks.alone()) return path;
  const std::string own = atomic_file::target_of(checkpoint_of_rank(path, ranks)).string();
  std::string found;
  const std::string previous = own + ".previous";
  for (const std::string& file : {own, previous, atomic_file::next_of(previous).string()}) {
    if (epoch_of(file) == epoch) found = file;
    if (!found.empty()) break;
  }
  const bool all_found = !ranks.any(found.empty());
  if (found.empty()) {
    throw input_error(own + " and " + previous + " are not whole checkpoints of epoch " + std::to_string(epoch) +
                      ", which " + path + " names: begin anew");
  }
  // The next checkpoint takes the place of the one that is not named.
  if (std::error_code fault; found != own && (std::filesystem::rename(found, own, fault), fault))
    throw input_error(own + ": cannot be put in its place: " + fault.message());
  if (!all_found) throw input_error("another rank has no whole checkpoint of epoch " + std::to_string(epoch));
  return own;
}

}  // namespace hogwild
