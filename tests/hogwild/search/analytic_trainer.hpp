// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/search.hpp>

namespace hogwild {

inline double number_of(const trial& t, const std::string& option) {
  for (const given_option& o : t.options)
    if (o.name == option) return std::stod(o.text);
  return 0.0;
}

/// "Trains" by a formula of a trial's l2 and step: best at l2 = 1e-5 and step = 1, better with each epoch. Records the
/// requests.
class analytic_trainer final : public trial_trainer {
 public:
  /// `most_of_large`: the same for trials whose step is above 1.
  explicit analytic_trainer(std::size_t most = 1000, std::size_t most_of_large = 0)
      : most_(most), most_of_large_(most_of_large > 0 ? most_of_large : most) {}

  void train(std::span<trial* const> some, std::size_t epochs) override {
    calls.emplace_back(some.size(), epochs);
    for (trial* const t : some) {
      asked.emplace_back(t->number, epochs);
      t->metric = metric_of(*t, epochs);
      t->epochs = epochs;
    }
  }
  std::size_t at_once(const trial& t) const override { return number_of(t, "step") > 1.0 ? most_of_large_ : most_; }

  static double metric_of(const trial& t, std::size_t epochs) {
    const double step = number_of(t, "step");
    if (step > 100.0) return std::numeric_limits<double>::quiet_NaN();
    const double off = std::log10(number_of(t, "l2")) + 5.0, speed = std::log10(step);
    return off * off + speed * speed + 1.0 / static_cast<double>(epochs);
  }

  std::vector<std::pair<std::size_t, std::size_t>> calls;  ///< trials and epochs of each
  std::vector<std::pair<std::size_t, std::size_t>> asked;  ///< trial and epochs

 private:
  std::size_t most_, most_of_large_;
};

inline search_space space_of_l2_and_step() {
  const std::vector<std::string> texts{"l2=log:1e-8:1e-2:7", "step=log:0.01:100:5"};
  return search_space::parse(texts);
}

}  // namespace hogwild
