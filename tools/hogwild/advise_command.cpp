// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/observer.hpp>
#include <interrupt/interrupt.hpp>

#include "advice_text.hpp"
#include "column_scales.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "model_from_request.hpp"
#include "standard_streams.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

constexpr std::size_t turns = 3, epochs_of_a_turn = 5;

/// Seconds of each epoch but the first, which touches new memory.
class epoch_times final : public observer {
 public:
  explicit epoch_times(std::vector<double>& seconds) : seconds_(seconds) {}
  observer_answer on_epoch(const epoch_report& e) override {
    if (e.epoch > 1) seconds_.push_back(e.train_seconds - before_);
    before_ = e.train_seconds;
    return observer_answer::go_on;
  }

 private:
  std::vector<double>& seconds_;
  double before_ = 0.0;
};

engine_name engine_called(const std::string& name) {
  return std::ranges::find(engine_names, name, &detail::enumerator<engine_name>::word)->value;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Trains every run of the advice in turn, three times five epochs each, with its step. `options` are those for which
/// the advice was made.
checked_advice measure_advised(const advice& given, const named_model& m, const sparse_view& rows,
                               const train_request& request, const train_options& options) {
  const cpu_watch watch;
  std::vector<measured_run> measured(given.runs.size());
  std::vector<std::vector<double>> seconds(given.runs.size());
  // In turns, so that other load on the machine affects all alike.
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < given.runs.size(); ++i) {
      if (!given.runs[i].refused.empty()) continue;
      train_request run = request;
      run.engine = engine_called(given.runs[i].engine);
      run.workers = given.runs[i].asked;
      epoch_times times(seconds[i]);
      train_options o = options;
      o.epochs = epochs_of_a_turn;
      o.step.initial = given.step;
      o.observers.push_back(&times);
      measured[i].workers = train_with_engine(m, rows, run, o, nullptr).workers;
    }
  }
  const cpu_load load = watch.load();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (seconds[i].empty()) continue;
    measured[i].epoch_seconds = median(seconds[i]);
    measured[i].least_seconds = *std::ranges::min_element(seconds[i]);
  }
  return {.runs = std::move(measured), .load = load};
}

/// The printed text.
std::string advice_for(train_request request) {
  const sparse_dataset data =
      trains_on_words(request)
          ? rows_of_words(
                request,
                open_words(request.data, request.min_count, request.files, {}, subwords_in(request.of_model)).rows)
          : open_training(request.data, request.files);
  const sparse_view rows = data.view();
  const named_model m = model_of(request, rows, agreement(nullptr), nullptr);
  train_options options = request.options;
  options.data_name = request.data;
  advice given = advise_on_engines(m, rows, request, options);
  checked_advice measured;
  if (request.verify) measured = measure_advised(given, m, rows, request, options);
  std::ranges::move(extrapolate(given.runs, request.cpus), std::back_inserter(given.runs));
  if (request.verify) measured.runs.resize(given.runs.size());
  const column_scaling scale = advised_scaling(m, rows, options);
  if (request.json) return advice_json(request, rows, given, measured, scale);
  return request.files.quiet ? std::string() : advice_text(rows, given, measured, scale);
}

}  // namespace

int advise_command(int argc, const char* const* argv) {
  train_request request;
  if (const auto code = parse_advise(argc, argv, request)) return *code;
  const interrupt ends_at_once({.ended = ended_at_once});
  const std::string text = retry_damaged_cache([&] { return advice_for(request); });
  if (!text.empty()) print(text);
  return 0;
}

}  // namespace hogwild::cli
