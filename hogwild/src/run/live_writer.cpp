// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/live_writer.hpp>

#include <cmath>

namespace hogwild {

double live_writer::log_shrink_of(const scaled_l2& l2) {
  return std::log(l2.between_rows());
}

void live_writer::write(const round_plan& round, double scale, double log_shrink) {
  board_->write({round.epoch, round.number, rows_before_, rows_trained(store_.slots()), scale, log_shrink});
}

}  // namespace hogwild
