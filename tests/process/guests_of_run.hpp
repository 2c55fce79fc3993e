// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/child_process.hpp>

#include "process_run.hpp"

namespace hogwild::test {

/// Invites guests when the first epoch of a run of so many workers is over; the second begins when all of them are
/// there.
class host final : public observer {
 public:
  host(std::string_view model, std::size_t workers, std::size_t guests)
      : model_(model), workers_(workers), wanted_(guests) {}

  observer_answer on_epoch(const epoch_report& e) override {
    if (e.epoch == 1) invite();
    if (!store_) return observer_answer::go_on;
    rows_of_guests = exchanges_of_guests = 0;
    for (const worker_slot& slot : store_->slots().subspan(workers_)) {
      rows_of_guests += slot.rows.get();
      exchanges_of_guests += slot.ring_exchanges.get();
    }
    return observer_answer::go_on;
  }
  /// After the run: whether all of them came, and left in order.
  bool all_leave_well() {
    bool well = guests_.size() == wanted_ && came_;
    for (child_process& guest : guests_) {
      const auto end = guest.wait_for(60s);
      well = well && end && end->success();
    }
    return well;
  }

  std::uint64_t rows_of_guests = 0, exchanges_of_guests = 0;

 private:
  void invite() {
    const auto segment = segment_of(::getpid());
    if (!segment) return;
    store_.emplace(detail::attached_store::open(segment->name, model_));
    while (guests_.size() < wanted_) guests_.push_back(spawn(this_program(), {"--join", segment->name}));
    came_ = eventually(60s, [&] { return active_workers(*store_) == workers_ + wanted_; });
  }

  std::string model_;
  std::size_t workers_, wanted_;
  std::optional<param_store> store_;
  std::vector<child_process> guests_;
  bool came_ = false;
};

}  // namespace hogwild::test
