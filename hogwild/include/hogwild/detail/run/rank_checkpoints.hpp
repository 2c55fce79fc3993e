// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/agreement.hpp>

// Checkpoints of a run of several ranks: each rank has its own, PATH.rankN, and PATH says of which epoch they are
// whole. At every instant, should any rank be killed, the files of the epoch that PATH names are there: written before
// it, and kept as PATH.rankN.previous until the next epoch's are named. PATH is the first rank's to read and write, so
// that ranks on machines without a common disk need nothing of each other's. Of one rank PATH is the checkpoint itself.

namespace hogwild {

/// Where this rank writes its checkpoint.
std::string checkpoint_of_rank(const std::string& path, const agreement& ranks);

/// After each rank has written its own of this epoch: all call it. Throws like write_checkpoint() on the first rank and
/// worker_error on the others.
void name_epoch(const std::string& path, std::uint64_t epoch, const agreement& ranks);

/// What a rank resumes from, read once.
struct resumed_checkpoint {
  std::string path;  ///< of this rank
  checkpoint state{};
  std::string note{};  ///< for the observers, where an older generation was read; else empty
};

/// Reads the file that this rank resumes from; all call it. Throws input_error where there is no whole one of the named
/// epoch, config_error where the run had another number of ranks.
resumed_checkpoint resume_of_rank(const std::string& path, const agreement& ranks);

}  // namespace hogwild
