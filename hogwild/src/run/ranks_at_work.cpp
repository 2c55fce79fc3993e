// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/ranks_at_work.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/threads.hpp>

namespace hogwild {

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

}  // namespace

/// A thread that does one work after the other. It stays the same: teams of OpenMP belong to the thread that started
/// them, and worker processes end with it.
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
    code_ = exit_code::done;
    sentence_.clear();
    work_ = &work;
    try {
      if (!thread_.joinable()) thread_ = start_thread([this] { run(); });
    } catch (const error& e) {
      code_ = e.code(), sentence_ = e.what();
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
  /// Once it is over.
  exit_code code() const { return code_; }
  const std::string& sentence() const { return sentence_; }

 private:
  void run() {
    for (std::unique_lock lock(mutex_);;) {
      begun_.wait(lock, [this] { return ends_ || !over_; });
      if (over_) return;
      lock.unlock();
      const auto [code, sentence] = outcome_of(*work_);
      lock.lock();
      code_ = code, sentence_ = sentence;
      over_ = true;
      ended_.notify_all();
    }
  }

  static std::pair<exit_code, std::string> outcome_of(const std::function<void()>& work) {
    try {
      work();
      return {exit_code::done, {}};
    } catch (const error& e) {
      return {e.code(), e.what()};
    } catch (const std::exception& e) {
      return {exit_code::internal, e.what()};
    }
  }

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  bool over_ = true, ends_ = false;
  const std::function<void()>* work_ = nullptr;
  exit_code code_ = exit_code::done;
  std::string sentence_{};
  std::jthread thread_{};  ///< goes first
};

ranks_at_work::ranks_at_work(collective* ranks, std::stop_token asked) : ranks_(ranks), asked_(std::move(asked)) {}
ranks_at_work::~ranks_at_work() = default;

std::size_t ranks_at_work::rank() const noexcept {
  return ranks_ == nullptr ? 0 : ranks_->rank();
}
std::size_t ranks_at_work::size() const noexcept {
  return ranks_ == nullptr ? 1 : ranks_->size();
}

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
      if (mine.works == 0.0) mine.failed = static_cast<double>(own_->code());
      ranks_->all_gather(std::span<const double>(&mine.works, numbers_of_report),
                         std::span(&said.front().works, size() * numbers_of_report));
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
  throw rank_failure(
      static_cast<exit_code>(static_cast<int>(failed->failed)),
      "rank " + std::to_string(root) + " of " + std::to_string(size()) + ": " + sentence_of(root, own_->sentence()));
}

/// The root's sentence, as far as there is room for it.
std::string ranks_at_work::sentence_of(std::size_t root, const std::string& mine) {
  std::array<double, 128> room{};
  std::array<char, sizeof room> text{};
  std::copy_n(mine.data(), std::min(mine.size(), text.size() - 1), text.data());
  std::memcpy(room.data(), text.data(), sizeof room);
  ranks_->broadcast(std::span<double>(room), root);
  std::memcpy(text.data(), room.data(), sizeof room);
  return text.data();
}

void ranks_at_work::require_same(std::string_view text, const std::string& otherwise) {
  if (alone()) return;
  const std::uint64_t sum = detail::checksum(std::as_bytes(std::span(text)));
  // Halves are whole numbers that a double holds.
  const std::array<double, 2> mine{static_cast<double>(sum >> 32), static_cast<double>(sum & 0xffffffffu)};
  std::array<double, 2> first = mine;
  broadcast(first);
  together([&] {
    if (first != mine) throw input_error(otherwise);
  });
}

std::vector<double> ranks_at_work::gathered(std::span<const std::byte> mine) {
  std::vector<double> own(mine.size() / sizeof(double)), all(own.size() * size());
  std::memcpy(own.data(), mine.data(), mine.size());
  ranks_->all_gather(std::span<const double>(own), std::span<double>(all));
  return all;
}

void ranks_at_work::broadcast(std::span<double> x) {
  ranks_->broadcast(x, 0);
}

}  // namespace hogwild
