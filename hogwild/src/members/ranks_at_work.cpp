// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/ranks_at_work.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include <hogwild/detail/platform/threads.hpp>

namespace hogwild {

namespace {

using namespace std::chrono_literals;

/// Time between two meetings: short at first, because the work may be short, then as long as a user is willing to wait.
constexpr std::chrono::milliseconds first_pause = 1ms, longest_pause = 100ms;

/// A rank's report at a meeting, as numbers, which groups can exchange.
struct rank_report {
  double works = 0.0, asked = 0.0;
  double failed = 0.0;  ///< the exit code; 0: it has not failed
};

/// The result of some work.
struct outcome {
  exit_code code = exit_code::done;
  std::string sentence{};
};

outcome outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const error& e) {
    return {e.code(), e.what()};
  } catch (const std::exception& e) {
    return {exit_code::internal, e.what()};
  } catch (...) {
    return {exit_code::internal, "what was thrown is no std::exception"};
  }
}

}  // namespace

/// A thread that does one piece of work after the other. It is always the same thread: teams of OpenMP belong to the
/// thread that started them, and worker processes end with it.
class ranks_at_work::work_thread {
 public:
  work_thread() = default;
  work_thread(const work_thread&) = delete;
  work_thread& operator=(const work_thread&) = delete;
  ~work_thread() {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    begun_.notify_all();
  }

  /// `work` must outlive it.
  void begin(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    over_ = false;
    outcome_ = {};
    work_ = &work;
    try {
      if (!thread_.joinable()) thread_ = start_thread([this] { run(); });
    } catch (const error& e) {
      outcome_ = {e.code(), e.what()};
      over_ = true;
    }
    begun_.notify_all();
  }

  bool is_over_within(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return over_; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return over_; });
  }
  /// Called once the work is over.
  const outcome& came() const { return outcome_; }

 private:
  void run() {
    for (std::unique_lock lock(mutex_);;) {
      begun_.wait(lock, [this] { return ends_ || !over_; });
      if (over_) return;
      lock.unlock();
      outcome now = outcome_of(*work_);
      lock.lock();
      outcome_ = std::move(now);
      over_ = true;
      ended_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  bool over_ = true, ends_ = false;
  const std::function<void()>* work_ = nullptr;
  outcome outcome_{};
  std::jthread thread_{};  ///< destroyed first
};

ranks_at_work::ranks_at_work(collective* ranks, std::stop_token asked)
    : ranks_(ranks), agreed_(ranks), asked_(std::move(asked)) {}
ranks_at_work::~ranks_at_work() = default;

void ranks_at_work::together(const std::function<void()>& work) {
  if (alone()) return work();
  if (!own_) own_ = std::make_unique<work_thread>();
  own_->begin(work);
  std::vector<rank_report> said(size());
  try {
    for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
      rank_report mine;
      mine.works = own_->is_over_within(pause) ? 0.0 : 1.0;
      mine.asked = asks_ || asked_.stop_requested() ? 1.0 : 0.0;
      if (mine.works == 0.0) mine.failed = static_cast<double>(own_->came().code);
      const std::vector<double> numbers = gathered(std::as_bytes(std::span(&mine, 1)));
      std::memcpy(static_cast<void*>(said.data()), numbers.data(), said.size() * sizeof(rank_report));
      const auto any = [&](double rank_report::*what) {
        return std::ranges::any_of(said, [&](const rank_report& of) { return of.*what != 0.0; });
      };
      if (any(&rank_report::asked) || any(&rank_report::failed)) stop_.request_stop();
      if (!any(&rank_report::works)) break;
    }
  } catch (...) {
    stop_.request_stop();
    own_->wait();
    throw;
  }
  const auto failed = std::ranges::find_if(said, [](const rank_report& of) { return of.failed != 0.0; });
  if (failed == said.end()) return;
  const auto root = static_cast<std::size_t>(failed - said.begin());
  throw failure_of(root, static_cast<exit_code>(static_cast<int>(failed->failed)),
                   sentence_of(root, own_->came().sentence));
}

void ranks_at_work::in_this_thread(const std::function<void()>& work) {
  if (alone()) return work();
  std::exception_ptr thrown;
  const outcome came = outcome_of([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
      throw;
    }
  });
  try {
    together([&] {
      if (thrown) throw error(came.code, came.sentence);
    });
  } catch (...) {
    if (thrown) std::rethrow_exception(thrown);
    throw;
  }
}

rank_failure ranks_at_work::failure_of(std::size_t rank, exit_code code, const std::string& sentence) const {
  return {code, "rank " + std::to_string(rank) + " of " + std::to_string(size()) + ": " + sentence};
}

/// The root's message, cut to the available room.
std::string ranks_at_work::sentence_of(std::size_t root, const std::string& mine) const {
  std::array<double, 128> room{};
  std::array<char, sizeof room> text{};
  std::copy_n(mine.data(), std::min(mine.size(), text.size() - 1), text.data());
  std::memcpy(room.data(), text.data(), sizeof room);
  agreed_.take(room, root);
  std::memcpy(text.data(), room.data(), sizeof room);
  return text.data();
}

std::vector<double> ranks_at_work::gathered(std::span<const std::byte> mine) const {
  std::vector<double> numbers(mine.size() / sizeof(double));
  std::memcpy(numbers.data(), mine.data(), mine.size());
  return agreed_.gathered(std::move(numbers));
}

}  // namespace hogwild
