// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/observer.hpp>

#include "run/report_teller.hpp"

namespace hogwild::detail {

/// Tells the first rank's observers of an epoch for all ranks. The other ranks send their models whenever an observer
/// asks for parameters.
class observers_of_ranks {
 public:
  using copy_function = report_teller::copy_function;

  /// Both arguments outlive it.
  observers_of_ranks(ranks_at_work& ranks, report_teller& teller) : ranks_(ranks), teller_(teller) {}

  /// Returns whether an observer wants to stop. All ranks call it, each with its own `parameters`, which are called on
  /// all of them together. If an observer throws, all ranks throw.
  bool tell(const epoch_report& report, const copy_function& parameters) {
    const epoch_answer answer =
        ranks_.rank() == 0 ? answer_of_observers(report, parameters) : answer_of_first(parameters);
    if (answer == epoch_answer::failed)
      ranks_.in_this_thread([this] {
        if (thrown_) std::rethrow_exception(thrown_);
      });
    return answer == epoch_answer::stops;
  }

 private:
  enum class epoch_answer { goes_on, stops, asks, failed };

  epoch_answer answer_of_first(const copy_function& parameters) {
    for (;;) {
      const epoch_answer answer = agree(epoch_answer::goes_on);
      if (answer != epoch_answer::asks) return answer;
      parameters();
    }
  }

  epoch_answer answer_of_observers(const epoch_report& report, const copy_function& parameters) {
    try {
      const bool stops = teller_.tell(report, &observer::on_epoch, [&] {
        agree(epoch_answer::asks);
        return parameters();
      });
      return agree(stops ? epoch_answer::stops : epoch_answer::goes_on);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return agree(epoch_answer::failed);
  }

  epoch_answer agree(epoch_answer mine) {
    auto number = static_cast<double>(mine);
    ranks_.take_first(number);
    return static_cast<epoch_answer>(static_cast<int>(number));
  }

  ranks_at_work& ranks_;
  report_teller& teller_;
  std::exception_ptr thrown_{};  ///< by an observer of the first rank
};

}  // namespace hogwild::detail
