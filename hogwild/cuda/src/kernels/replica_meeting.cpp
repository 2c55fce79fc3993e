// SPDX-License-Identifier: Apache-2.0
#include "replica_meeting.hpp"

#include <span>
#include <stdexcept>

#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild::device {

void meet_replica(const replica_meeting& work, std::size_t part, std::size_t parts) {
  if (work.update == update_kind::locked) throw std::invalid_argument("a device adds without locks");
  if (work.count == 0) return;
  const replica_piece piece = piece_of(work.count, part, parts);
  const std::span<float> shared(work.shared, work.count), own(work.work + piece.first, piece.count),
      base(work.base + piece.first, piece.count);
  const auto meet = [&](const auto& view) {
    switch (work.kind) {
      case meeting_kind::fetch:
        return view.fetch(piece.first, own, base);
      case meeting_kind::exchange:
        return view.exchange(piece.first, own, base, work.gain_weight);
      case meeting_kind::send:
        return view.send(piece.first, own, base, work.gain_weight);
    }
  };
  work.update == update_kind::exact ? meet(param_view<float, update::exact>(shared)) : meet(param_view<float>(shared));
}

}  // namespace hogwild::device
