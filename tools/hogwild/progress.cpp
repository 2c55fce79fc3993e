// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <algorithm>
#include <cstdio>

#include <hogwild/detail/platform/threads.hpp>

#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

double millions(double count) {
  return count / 1e6;
}

/// "12 s", "3 min 5 s", "2 h 10 min".
std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::clamp(seconds, 0.0, 3.6e8) + 0.5);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

void append_measures(std::string& line, const char* name, const measurement& m) {
  const auto add = [&](const char* what, double x) { line += formatted("  %s %s %.4f", name, what, x); };
  add("loss", m.loss);
  if (m.accuracy) add("accuracy", *m.accuracy);
  if (m.rmse) add("RMSE", *m.rmse);
  if (m.cut) add("cut", *m.cut);
  if (m.ndcg_at_20) add("NDCG at 20", *m.ndcg_at_20);
  if (m.mrr) add("MRR", *m.mrr);
}

}  // namespace

void progress::on_start(const run_start& start) {
  const std::lock_guard lock(mutex_);
  start_ = start;
  began_ = clock::now();
  rows_before_ = start.rows_done();
  if (terminal_) display_ = start_thread([this](const std::stop_token& end) { draw_until(end); });
}

observer_answer progress::on_epoch(const epoch_report& epoch) {
  const std::lock_guard lock(mutex_);
  const double seconds = epoch.train_seconds - last_.train_seconds;
  const auto nonzeros = static_cast<double>(epoch.nonzeros - last_.nonzeros);
  last_ = epoch;
  if (terminal_) return observer_answer::go_on;
  std::string line =
      formatted("epoch %zu/%zu  %.3f s  %.1f M nonzeros/s  step %.4g  loss %.6f  objective %.6f", epoch.epoch,
                start_.epochs, epoch.train_seconds, seconds > 0.0 ? millions(nonzeros / seconds) : 0.0, epoch.step,
                epoch.train_loss, epoch.objective);
  if (epoch.test) append_measures(line, "test", *epoch.test);
  if (epoch.validation) append_measures(line, "validation", *epoch.validation);
  std::fprintf(stderr, "%s\n", line.c_str());
  return observer_answer::go_on;
}

void progress::on_note(std::string_view sentence) {
  const std::lock_guard lock(mutex_);
  if (terminal_) clear();
  say(sentence);
}

void progress::stop_drawing() {
  if (!terminal_) return;
  display_ = {};
  const std::lock_guard lock(mutex_);
  clear();
}

void progress::draw_until(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (!end.stop_requested()) {
    draw();
    ended_.wait_for(lock, end, std::chrono::milliseconds(100), [] { return false; });
  }
}

void progress::draw() {
  const auto rows = static_cast<double>(start_.rows_done() - rows_before_);
  const double all = static_cast<double>(start_.rows * start_.epochs) - static_cast<double>(rows_before_);
  const double fraction = all > 0.0 ? std::min(rows / all, 1.0) : 1.0;
  const double seconds = std::chrono::duration<double>(clock::now() - began_).count();
  const double row_length =
      static_cast<double>(start_.nonzeros) / static_cast<double>(std::max<std::size_t>(start_.rows, 1));
  // Epoch lines know the time that was spent on training; before the first one, all time counts as training.
  const double rate = last_.train_seconds > 0.0 ? static_cast<double>(last_.nonzeros) / last_.train_seconds
                                                : rows * row_length / std::max(seconds, 1e-9);
  constexpr int width = 24;
  const int full = static_cast<int>(fraction * width);
  const std::string bar =
      std::string(static_cast<std::size_t>(full), '=') + std::string(static_cast<std::size_t>(width - full), ' ');
  std::fprintf(stderr, "\r\x1b[Kepoch %zu/%zu [%s] %3.0f%%  %.1f M nonzeros/s",
               std::min(last_.epoch + 1, start_.epochs), start_.epochs, bar.c_str(), 100.0 * fraction, millions(rate));
  if (last_.epoch > 0) std::fprintf(stderr, "  loss %.4f", last_.train_loss);
  if (fraction > 0.0) std::fprintf(stderr, "  %s left", duration_text(seconds * (1.0 - fraction) / fraction).c_str());
  std::fflush(stderr);
}

void progress::clear() {
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace hogwild::cli
