// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/teams/thread_team.hpp>

#include <omp.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <hogwild/detail/platform/thread_sanitizer.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/error.hpp>

#include "teams/fewer_workers.hpp"

namespace hogwild {

namespace {

/// The OpenMP library ends the program if it cannot start a thread. It keeps the threads of a region for the next
/// region of the same thread, except for nested regions.
void require_openmp_threads(std::size_t workers) {
  thread_local std::size_t kept = 1;
  const auto require = [](std::size_t n) { detail::start_workers([n] { require_threads(n); }); };
  if (omp_get_level() > 0) return require(grantable(thread_team_kind::openmp, workers) - 1);
  if (workers > kept) require(workers - kept);
  kept = workers;
}

class openmp_thread_team final : public thread_team {
 public:
  explicit openmp_thread_team(std::size_t workers) : workers_(workers) {}
  std::size_t size() const override { return workers_; }

 private:
  std::size_t run_all(const std::function<void(std::size_t)>& body) override {
    require_openmp_threads(workers_);
    std::size_t granted = 0;
#pragma omp parallel num_threads(static_cast <int>(workers_))
    {
#pragma omp single
      granted = static_cast<std::size_t>(omp_get_num_threads());
      body(static_cast<std::size_t>(omp_get_thread_num()));
    }
    return granted;
  }
  std::size_t workers_;
};

class tbb_thread_team final : public thread_team {
 public:
  explicit tbb_thread_team(std::size_t workers) : workers_(workers), arena_(static_cast<int>(workers)) {
    detail::start_workers([&] { require_tbb_threads(workers); });
  }
  std::size_t size() const override { return workers_; }

 private:
  std::size_t run_all(const std::function<void(std::size_t)>& body) override {
    arena_.execute([&] {
      tbb::task_group tasks;
      for (std::size_t i = 1; i < workers_; ++i) tasks.run([&body, i] { body(i); });
      body(0);
      tasks.wait();
    });
    return workers_;
  }
  std::size_t workers_;
  tbb::task_arena arena_;
};

/// Threads that sleep between runs; the caller is worker 0.
class std_thread_team final : public thread_team {
 public:
  std_thread_team(std::size_t workers, bool pin) {
    if (workers == 1) return;
    const std::vector<int> all = allowed_cpus(), own = worker_cpus(workers, all);
    for (std::size_t i = 1; i < workers; ++i) {
      const auto work = [this, i, cpus = pin ? std::vector{own[i]} : all](const std::stop_token& stop) {
        bind_this_thread(cpus);
        serve(i, stop);
      };
      threads_.push_back(detail::start_workers([&] { return start_thread(work); }));
    }
  }
  ~std_thread_team() override {
    for (auto& t : threads_) t.request_stop();
    begin_.notify_all();
  }
  std::size_t size() const override { return threads_.size() + 1; }

 private:
  std::size_t run_all(const std::function<void(std::size_t)>& body) override {
    {
      const std::lock_guard lock(mutex_);
      body_ = &body;
      busy_ = threads_.size();
      ++turn_;
    }
    begin_.notify_all();
    body(0);
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
    return size();
  }

  void serve(std::size_t i, const std::stop_token& stop) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex_);
    while (begin_.wait(lock, stop, [&] { return turn_ != seen; })) {
      seen = turn_;
      const auto& body = *body_;
      lock.unlock();
      body(i);
      lock.lock();
      if (--busy_ == 0) end_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any begin_;
  std::condition_variable end_;
  const std::function<void(std::size_t)>* body_ = nullptr;
  std::size_t turn_ = 0, busy_ = 0;
  std::vector<std::jthread> threads_;  // declared last: they stop before what they use is destroyed
};

/// A stripe holds its owner's slot number in 12 bits, and the process engine has as many spare slots again.
constexpr std::size_t most_workers = 2000;

}  // namespace

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> here(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, here.data());
    cpus.insert(cpus.end(), here.begin(), here.end());
  }
  if (cpus.empty()) return usable_cpu_list();
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());  // places may overlap
  return cpus;
}

bool openmp_binds() {
  return omp_get_proc_bind() != omp_proc_bind_false;
}

std::size_t worker_count(std::optional<std::size_t> asked) {
  if (!asked) return default_workers(allowed_cpus().size(), cpu_quota());
  if (*asked == 0)
    throw config_error("a run has at least one worker; leave the number out for as many as this process may use");
  if (*asked <= most_workers) return *asked;
  throw config_error(std::to_string(*asked) + " workers are more than the " + std::to_string(most_workers) +
                     " that one run may have");
}

std::size_t grantable(thread_team_kind kind, std::size_t asked) {
  if (kind != thread_team_kind::openmp) return asked;
  if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
  return std::clamp<std::size_t>(asked, 1, static_cast<std::size_t>(omp_get_thread_limit()));
}

std::unique_ptr<thread_team> thread_team::make(thread_team_kind kind, std::size_t workers, bool pin) {
  workers = std::max<std::size_t>(workers, 1);
#ifdef HOGWILD_THREAD_SANITIZER
  kind = thread_team_kind::std;  // ThreadSanitizer cannot see how other teams' threads wait, and reports races there
#endif
  switch (kind) {
    case thread_team_kind::openmp:
      return std::make_unique<openmp_thread_team>(workers);
    case thread_team_kind::tbb:
      return std::make_unique<tbb_thread_team>(workers);
    case thread_team_kind::std:
      break;
  }
  return std::make_unique<std_thread_team>(workers, pin);
}

std::size_t thread_team::run(const std::function<void(std::size_t)>& body) {
  std::mutex mutex;
  std::exception_ptr first;
  const std::size_t granted = run_all([&](std::size_t i) {
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  });
  if (first) std::rethrow_exception(first);
  return granted;
}

}  // namespace hogwild
