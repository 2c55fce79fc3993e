// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/agreement.hpp>

// Checkpoints of a run of several ranks: each rank has its own, PATH.rankN, and PATH says of which epoch they are
// whole. At every instant, should any rank be killed, the files of the epoch that PATH names are there: written before
// it, and kept as PATH.rankN.previous until the next epoch's are named. PATH is the first rank's to write, so that
// ranks on machines without a common disk need nothing of each other's. Of one rank PATH is the checkpoint itself.
//
// Where all ranks have the same parameters, as those in lockstep have (`alike`), any of the files is the state of all:
// such a run goes on with another number of ranks, and without the files that are lost.

namespace hogwild {

/// Where this rank writes its checkpoint.
std::string checkpoint_of_rank(const std::string& path, const agreement& ranks);

/// Says in a checkpoint that it is the state of all ranks.
void put_alike(checkpoint& file);

/// After each rank has written its own of this epoch: all call it. Throws like write_checkpoint() on the first rank and
/// worker_error on the others.
void name_epoch(const std::string& path, std::uint64_t epoch, bool alike, const agreement& ranks);

/// What a rank resumes from, read once.
struct resumed_checkpoint {
  std::string path;  ///< of this rank
  checkpoint state{};
  std::string note{};  ///< for the observers, where an older generation was read; else empty
};

/// Reads what this rank resumes from; all call it, each with a path of its own if need be. The epoch is the latest that
/// any rank finds named in its PATH. Throws input_error where this rank has no whole file of it, or, of files that are
/// alike, no rank has one; and config_error where files that are not alike were written by another number of ranks.
resumed_checkpoint resume_of_rank(const std::string& path, const agreement& ranks);

}  // namespace hogwild
