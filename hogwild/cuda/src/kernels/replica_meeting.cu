// SPDX-License-Identifier: Apache-2.0
// The code for GPUs, and how it is started. The test of fibers compiles this file as plain C++.
#include "replica_meeting.hpp"

#include <stdexcept>

#include <hogwild/detail/cuda/rows_kernel.hpp>
#include <hogwild/detail/cuda/weights.hpp>

namespace hogwild::device {

/// The kernel needs only its work.
struct no_model {};

template <update_kind Update>
struct meeting_part {
  template <class Warp>
  HOGWILD_DEVICE_CODE static std::uint64_t train(const Warp& warp, const replica_meeting& work, const no_model&,
                                                 std::uint64_t part, std::uint64_t parts) {
    const weights<Update, memory_scope::system> shared(work.shared);
    const replica_piece piece = piece_of(work.count, part, parts);
    warp.deal(static_cast<std::uint32_t>(piece.count), [&](unsigned, std::uint32_t k) {
      const std::uint64_t j = piece.first + k;
      const float gain = work.kind == meeting_kind::fetch ? 0.0f : work.gain_weight * (work.work[j] - work.base[j]);
      const float now = gain == 0.0f ? shared.load(j) : shared.read_add(j, gain) + gain;
      if (work.kind != meeting_kind::send) work.work[j] = work.base[j] = now;
    });
    return 0;
  }
};

int launch_replica_meeting(const replica_meeting& work, void* stream) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device adds without locks");
  if (work.count == 0) return 0;
  return work.update == update_kind::exact ? launch_rows<meeting_part<update_kind::exact>>(work, no_model{}, stream)
                                           : launch_rows<meeting_part<update_kind::lossy>>(work, no_model{}, stream);
}

}  // namespace hogwild::device
