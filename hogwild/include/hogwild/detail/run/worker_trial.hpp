// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace hogwild {

/// Decides by measured time how many workers train a model on one shared array, while they train it. Workers that all
/// change the same few lines, such as the vectors of eight labels, may be slower than one alone; whether they are
/// depends on the machine.
///
/// Rounds by half of the workers are between rounds by all. Half of them train on if in three pairs in a row a row took
/// them clearly less time than in the rounds before and after; then half of these are tried, down to one. The first
/// pair in which they do not ends the trial, so where more workers are faster it costs one round. Time that other
/// programs take can only make a round longer, so it may end a trial, but hardly decides one. Belongs to the
/// coordinator.
class worker_trial {
 public:
  using clock_function = std::function<double()>;  ///< seconds since any moment

  /// Into how many rounds an epoch of so many chunks is cut for a trial: each worker has some chunks in each, and a
  /// round that is lost costs a small part of `epochs`. Nothing if the run is too short for that.
  static std::optional<std::uint32_t> rounds_of_epoch(std::size_t chunks, std::size_t workers, std::size_t epochs);

  /// A trial of `workers`, at least 2. An empty clock is that of the system.
  worker_trial(std::size_t workers, std::uint32_t rounds, clock_function clock);
  /// One that was over before, and left `workers`, at most `all`.
  static worker_trial ended(std::size_t workers, std::size_t all);

  /// How many workers train the next round; once it is over, all later ones.
  std::size_t workers() const { return tries_less_ ? less() : best_; }
  /// Whether those are fewer than all. If not, workers that join late train, too.
  bool leaves_out() const { return workers() < all_; }
  bool is_over() const { return over_; }
  /// Into how many rounds the next epoch is cut.
  std::uint32_t rounds() const { return over_ ? 1 : rounds_; }

  /// Called before and after a round that trained so many rows. A round without end_round() does not count: the same
  /// workers are tried again.
  void begin_round() {
    if (!over_) begun_ = clock_();
  }
  void end_round(double rows);

  /// Why fewer workers than all train, as a sentence; empty if all do.
  std::string reason() const;

 private:
  std::size_t less() const { return best_ / 2; }
  void compare(double ns);

  std::size_t all_, best_;
  std::uint32_t rounds_ = 1;
  clock_function clock_{};
  bool over_ = false;
  bool tries_less_ = false;  ///< in the next round
  double begun_ = 0.0;
  int won_ = 0;                            ///< pairs in a row
  double all_ns_ = 0.0;                    ///< a row's least time with all workers
  double best_ns_ = 0.0, tried_ns_ = 0.0;  ///< a row's time in the last round of each; 0: none yet
};

}  // namespace hogwild
