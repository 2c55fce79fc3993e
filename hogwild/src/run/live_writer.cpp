// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/live_writer.hpp>

#include <cmath>

namespace hogwild {

double live_writer::log_shrink_of(const scaled_l2& l2) {
  return std::log(l2.between_rows());
}

void live_writer::write(const round_plan& round, double scale, double log_shrink) {
  std::uint64_t counted = 0;
  for (const worker_slot& slot : store_.slots()) counted += slot.rows.get();
  board_->write({round.epoch, round.number, rows_before_, counted, scale, log_shrink});
}

}  // namespace hogwild
