// SPDX-License-Identifier: Apache-2.0
#include "search_ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/threads.hpp>

namespace hogwild::cli {
namespace {

using namespace std::chrono_literals;

/// Between two meetings: short while the work may be short, and then as long as nobody minds to wait for an answer.
constexpr std::chrono::milliseconds first_pause = 1ms, longest_pause = 100ms;

/// What a rank says at a meeting, in numbers as groups have them.
struct rank_report {
  double works = 0.0, asked = 0.0;
  double failed = 0.0;  ///< the exit code; 0: it has not
};
constexpr std::size_t numbers_of_report = sizeof(rank_report) / sizeof(double);

/// Work in a thread of its own, whose end is waited for.
class background_work {
 public:
  explicit background_work(const std::function<void()>& work) {
    try {
      thread_ = start_thread([this, &work] { run(work); });
    } catch (const error& e) {
      end(e.code(), e.what());
    }
  }

  bool is_over_within(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return over_; });
  }
  /// Once it is over.
  exit_code code() const { return code_; }
  const std::string& sentence() const { return sentence_; }

 private:
  void run(const std::function<void()>& work) {
    try {
      work();
      end(exit_code::done, {});
    } catch (const error& e) {
      end(e.code(), e.what());
    } catch (const std::exception& e) {
      end(exit_code::internal, e.what());
    }
  }

  void end(exit_code code, std::string sentence) {
    const std::lock_guard lock(mutex_);
    code_ = code;
    sentence_ = std::move(sentence);
    over_ = true;
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  exit_code code_ = exit_code::done;
  std::string sentence_{};
  std::jthread thread_{};
};

/// The root's sentence, as far as there is room for it.
std::string sentence_of(collective& ranks, std::size_t root, const std::string& mine) {
  std::array<double, 128> room{};
  std::array<char, sizeof room> text{};
  std::copy_n(mine.data(), std::min(mine.size(), text.size() - 1), text.data());
  std::memcpy(room.data(), text.data(), sizeof room);
  ranks.broadcast(std::span<double>(room), root);
  std::memcpy(text.data(), room.data(), sizeof room);
  return text.data();
}

}  // namespace

void search_ranks::together(const std::function<void()>& work) {
  if (alone()) return work();
  background_work own(work);
  std::vector<rank_report> said(size());
  try {
    for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
      rank_report mine;
      mine.works = own.is_over_within(pause) ? 0.0 : 1.0;
      mine.asked = asked_.stop_requested() ? 1.0 : 0.0;
      if (mine.works == 0.0) mine.failed = static_cast<double>(own.code());
      ranks_->all_gather(std::span<const double>(&mine.works, numbers_of_report),
                         std::span(&said.front().works, size() * numbers_of_report));
      const auto any = [&](double rank_report::*what) {
        return std::ranges::any_of(said, [&](const rank_report& of) { return of.*what != 0.0; });
      };
      if (any(&rank_report::asked) || any(&rank_report::failed)) stop_.request_stop();
      if (!any(&rank_report::works)) break;
    }
  } catch (...) {
    stop_.request_stop();  // the work at hand is waited for
    throw;
  }
  const auto failed = std::ranges::find_if(said, [](const rank_report& of) { return of.failed != 0.0; });
  if (failed == said.end()) return;
  const auto root = static_cast<std::size_t>(failed - said.begin());
  throw rank_failure(static_cast<exit_code>(static_cast<int>(failed->failed)),
                     "rank " + std::to_string(root) + " of " + std::to_string(size()) + ": " +
                         sentence_of(*ranks_, root, own.sentence()));
}

void search_ranks::require_same(std::string_view text, const std::string& otherwise) {
  if (alone()) return;
  const std::uint64_t sum = detail::checksum(std::as_bytes(std::span(text)));
  // Halves are whole numbers that a double holds.
  const std::array<double, 2> mine{static_cast<double>(sum >> 32), static_cast<double>(sum & 0xffffffffu)};
  std::array<double, 2> first = mine;
  ranks_->broadcast(std::span<double>(first), 0);
  together([&] {
    if (first != mine) throw input_error(otherwise);
  });
}

}  // namespace hogwild::cli
