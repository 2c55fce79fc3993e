// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/results/checkpoint.hpp>

// Checkpoints of a run of several ranks: each rank has its own, PATH.rankN, and PATH names the epoch for which they are
// complete. Whenever a rank is killed, the files of the epoch that PATH names exist: they are written before PATH, and
// kept as PATH.rankN.previous until PATH names the next epoch. The first rank writes PATH, so ranks on machines without
// a common disk need none of each other's files. With one rank PATH is the checkpoint itself.
//
// If all ranks have the same parameters, as in lockstep (`alike`), each file is the state of all ranks: such a run can
// resume with another number of ranks, and without lost files.

namespace hogwild {

/// Where this rank writes its checkpoint.
std::string checkpoint_of_rank(const std::string& path, const agreement& ranks);

/// Marks a checkpoint as the state of all ranks.
void put_alike(checkpoint& file);

/// Names the epoch in PATH, after each rank has written its own file of it: all call it. Throws like write_checkpoint()
/// on the first rank and worker_error on the others.
void name_epoch(const std::string& path, std::uint64_t epoch, bool alike, const agreement& ranks);

/// The checkpoint from which a rank resumes, read once.
struct resumed_checkpoint {
  std::string path;  ///< of this rank
  checkpoint state{};
  std::string note{};  ///< for the observers, if an older generation was read; else empty
};

/// Reads the checkpoint from which this rank resumes; all call it, each with a path of its own if need be. The epoch is
/// the latest that any rank finds named in its PATH. Throws input_error if this rank has no whole file of that epoch,
/// or, for alike files, no rank has one; config_error if files that are not alike were written by another number of
/// ranks.
resumed_checkpoint resume_of_rank(const std::string& path, const agreement& ranks);

}  // namespace hogwild
