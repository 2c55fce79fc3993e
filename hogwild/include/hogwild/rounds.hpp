// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/crew.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// Cuts epochs into rounds and has a crew train them: opens the tickets, closes the account of what was not finished,
/// and carries the scale of the weights from gate to gate. Belongs to the coordinator.
class round_driver {
 public:
  round_driver(const job& work, crew& who) : job_(work), crew_(who) {}

  /// One pass over the data. Tickets that died with their workers are drawn again until all are done; a chunk that
  /// takes three workers along, and workers that finish nothing any more, end the run with worker_error. Returns early
  /// when the run was asked to stop.
  void train_epoch(std::size_t epoch, double step);

  double scale() const { return scale_; }  ///< w = scale * v
  void resume_at(double scale) { scale_ = scale; }

 private:
  void run(round_plan round);
  std::size_t collect_unfinished(const round_plan& round);
  double drawn_rows(const round_plan& round) const;
  bool stopping() const { return crew_.store().control().stopping(); }

  const job& job_;
  crew& crew_;
  double scale_ = 1.0;
  std::uint32_t number_ = 0;
  std::uint32_t first_of_part_ = 0;
};

}  // namespace hogwild
