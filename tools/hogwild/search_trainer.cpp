// SPDX-License-Identifier: Apache-2.0
#include "search_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/search/for_each_in_threads.hpp>
#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>

#include "model_from_request.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

namespace fs = std::filesystem;

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

search_folder::search_folder(const std::string& journal) {
  if (journal.empty()) {
    temporary_.emplace("hogwild-search-", ", or name a --journal, beside which it goes");
    path_ = temporary_->path();
  } else {
    path_ = journal + ".trials";
    remove_left_asides(path_);
  }
}

fs::path search_folder::checkpoint(std::size_t trial, std::size_t part) const {
  return path_ / (std::to_string(trial) + "." + std::to_string(part));
}

fs::path search_folder::checkpoint_to_write(std::size_t trial, std::size_t part) const {
  if (!temporary_) fs::create_directories(path_);
  return checkpoint(trial, part);
}

void search_folder::forget(std::size_t trial, std::size_t parts) const {
  std::error_code ignored;
  for (std::size_t part = 0; part < parts; ++part) {
    const fs::path kept = checkpoint(trial, part);
    fs::remove(kept, ignored);
    fs::remove(kept.string() + ".previous", ignored);
  }
}

void search_folder::remove() const {
  std::error_code ignored;
  if (temporary_) return temporary_->remove();
  // Removes nothing that others have put there.
  std::vector<fs::path> ours;
  for (fs::directory_iterator at(path_, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const std::size_t point = name.find_first_not_of("0123456789");
    if (point != std::string::npos && point > 0 && name[point] == '.') ours.push_back(at->path());
  }
  for (const fs::path& path : ours) fs::remove(path, ignored);
  fs::remove(path_, ignored);
}

run_trainer::run_trainer(const std::vector<train_request>& requests, const search_rows& rows,
                         const search_metric& metric, std::size_t side_by_side, const search_folder* folder,
                         search_pace& pace, std::stop_token stop)
    : requests_(requests),
      rows_(rows),
      metric_(metric),
      side_by_side_(side_by_side),
      folder_(folder),
      pace_(pace),
      stop_(std::move(stop)),
      initial_(saved_to_begin_with(requests.front())) {}

double run_trainer::measured_by(const measurement& m) const {
  const std::optional<double> value = metric_.of(m);
  if (value) return metric_.turned(*value);
  std::string known;
  for (const search_metric& each : search_metrics())
    if (each.of(m)) known += (known.empty() ? "" : ", ") + std::string(each.name);
  throw config_error("--metric " + std::string(metric_.name) +
                     " is not measured for this model on these rows; choose one of " + known);
}

void run_trainer::note_refused(std::size_t trial, const std::string& why) {
  const std::lock_guard lock(refusing_);
  if (refused_.emplace(trial, why).second) notes_.push_back("trial " + std::to_string(trial) + " cannot be: " + why);
}

std::vector<std::string> run_trainer::take_notes() {
  const std::lock_guard lock(refusing_);
  return std::exchange(notes_, {});
}

void run_trainer::doubt_listener::on_sharing_in_doubt(std::string_view sentence) {
  const std::lock_guard lock(told_.refusing_);
  if (!std::exchange(heard_, true))
    told_.notes_.push_back("of a trial, reported once for all: " + std::string(sentence));
}

void run_trainer::require_none_refused() const {
  if (!refused_.empty()) throw config_error(refused_.begin()->second);
}

std::optional<train_result> run_trainer::run(const trial& t, std::size_t part, const train_request& asked,
                                             train_options options) {
  train_request request = asked;
  request.files.quiet = true;
  const sparse_view& rows = rows_.parts[part].training;
  try {
    const named_model m = model_of(request, rows, agreement(nullptr), initial_);
    options.bias = request.options.bias;
    begin_with_saved(request, m, rows_.all, {}, initial_, options);
    return train_with_engine(m, rows, request, options, nullptr);
  } catch (const config_error& why) {
    if (stop_.stop_requested()) return std::nullopt;  // a step search that was cut short has found no step
    note_refused(t.number, why.what());
    return std::nullopt;
  }
}

std::optional<double> run_trainer::train_on(const trial& t, std::size_t part, std::size_t epochs) {
  const train_request& request = requests_[t.number];
  train_options options = request.options;
  options.data_name = request.data;
  options.test = rows_.parts[part].validation;
  options.telemetry = false;
  options.stop = stop_;
  // A checkpoint found at a trial's beginning belongs to another search.
  if (t.epochs > 0) {
    const std::filesystem::path kept = folder_->checkpoint(t.number, part);
    // A killed search may have left a checkpoint that is further than its journal.
    if (std::filesystem::exists(kept) && read_checkpoint(kept).epoch < epochs) options.resume = kept.string();
  }
  if (epochs < options.epochs) {
    options.checkpoint = folder_->checkpoint_to_write(t.number, part).string();
    options.checkpoint_every = options.epochs;  // written only if the run is cut short
  }
  std::optional<measurement> measured;
  options.observers.emplace_back(listener_);
  options.observers.push_back([&, before = t.epochs](const epoch_report& e) mutable {
    measured = e.test;
    pace_.add(e.epoch - std::min(before, e.epoch));
    before = e.epoch;
    return e.epoch >= epochs ? observer_answer::stop : observer_answer::go_on;
  });
  const auto result = run(t, part, request, options);
  if (!result && stop_.stop_requested()) return std::nullopt;
  if (!result || result->status == run_status::diverged) return infinite;
  if (result->status == run_status::stopped && result->epochs < epochs) return std::nullopt;
  return measured ? measured_by(*measured) : infinite;
}

void run_trainer::train(std::span<trial* const> some, std::size_t epochs) {
  const std::size_t parts = rows_.parts.size();
  std::vector<std::optional<double>> found(some.size() * parts);
  std::size_t left = 0;
  for (const trial* t : some) left += epochs - std::min(t->epochs, epochs);
  pace_.begin(left * parts);
  detail::for_each_in_threads(found.size(), side_by_side_, [&](std::size_t k) {
    if (!stop_.stop_requested()) found[k] = train_on(*some[k / parts], k % parts, epochs);
  });
  pace_.end();
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::span of_trial(found.data() + i * parts, parts);
    if (!std::ranges::all_of(of_trial, [](const auto& metric) { return metric.has_value(); })) continue;
    double sum = 0.0;
    for (const auto& metric : of_trial) sum += *metric;
    some[i]->metric = std::isfinite(sum) ? sum / static_cast<double>(parts) : infinite;
    some[i]->epochs = epochs;
  }
}

void run_trainer::forget(std::size_t trial) const {
  if (folder_ != nullptr) folder_->forget(trial, rows_.parts.size());
}

}  // namespace hogwild::cli
