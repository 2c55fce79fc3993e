// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/results/parameter_order.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/scoring.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

/// Calls on_failure() of all observers, whatever they throw: train() throws the exception that ended the run.
inline void tell_of_failure(const train_options& options) {
  tell(options, [](observer& o) {
    try {
      o.on_failure();
    } catch (...) {
      // Documented to be ignored.
    }
  });
}

/// Passes reports to the observers of a run, with parameters that are available while a callback runs.
class report_teller final : lazy_parameters::source {
 public:
  using copy_function = std::function<std::vector<float>()>;

  /// Both arguments outlive it. `models`: how many models each parameter is stored for, side by side.
  report_teller(const training_task& task, const train_options& options, std::size_t models = 1)
      : task_(task), options_(options), models_(models) {}

  /// Calls the observers one after the other; returns whether any wants the run to stop. `copy` gives the parameters by
  /// position, if an observer asks for them.
  template <class Report>
  bool tell(Report report, observer_answer (observer::*callback)(const Report&), copy_function copy) {
    copy_ = std::move(copy);
    report.parameters = lazy_parameters(*this);
    const closed_at_end end{report.parameters};
    return any_stops(options_, [&](observer& o) { return (o.*callback)(report); });
  }

  /// Passes a note to all observers.
  void note(const std::string& sentence) const {
    hogwild::tell(options_, [&](observer& o) { o.on_note(sentence); });
  }

 private:
  struct closed_at_end {
    const lazy_parameters& shown;
    ~closed_at_end() { shown.close(); }
  };

  std::vector<float> values() const override {
    const std::vector<float> copied = copy_();
    return copied.empty() ? copied : order().of(copied);  // the parameters were not kept
  }
  std::vector<std::uint32_t> columns() const override { return order().columns(); }

  const parameter_order& order() const {
    if (order_) return *order_;
    std::vector<parameter_group> groups = task_.facts().groups;
    for (parameter_group& g : groups) g.offset *= models_, g.width *= models_;
    return order_.emplace(std::move(groups), detail::input_numbers_of(task_.data()));
  }

  const training_task& task_;
  const train_options& options_;
  std::size_t models_;
  copy_function copy_{};
  mutable std::optional<parameter_order> order_{};  ///< made when first needed; guarded like source's calls
};

}  // namespace hogwild
