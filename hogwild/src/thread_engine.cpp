// SPDX-License-Identifier: Apache-2.0
#include <hogwild/engines.hpp>

#include <vector>

namespace hogwild {

namespace {

/// Threads on one store in private memory; with a team of one it is the serial engine.
class thread_crew final : public crew {
 public:
  thread_crew(std::string_view engine, std::unique_ptr<team> threads, const job& work)
      : engine_(engine),
        threads_(std::move(threads)),
        job_(work),
        store_(param_store::in_memory(work.shape(threads_->size(), 0, 0))),
        memory_(threads_->size()) {
    for (worker_slot& slot : store_.slots()) {
      slot.state = worker_state::active;
      slot.generation = 1;
    }
  }

  std::string_view engine() const override { return engine_; }
  std::size_t workers() const override { return threads_->size(); }
  const param_store& store() const override { return store_; }
  void run_round() override {
    threads_->run([this](std::size_t worker) { job_.work(store_, worker, memory_[worker], nullptr); });
  }
  team& helpers() override { return *threads_; }

 private:
  std::string_view engine_;
  std::unique_ptr<team> threads_;
  const job& job_;
  param_store store_;
  std::vector<worker_memory> memory_;
};

}  // namespace

std::unique_ptr<crew> hire(const serial_engine&, const job& work, const note_function&) {
  return std::make_unique<thread_crew>("serial", team::make(team_kind::std, 1, false), work);
}

std::unique_ptr<crew> hire(const thread_engine& engine, const job& work, const note_function&) {
  return std::make_unique<thread_crew>("threads", team::make(engine.team, crew_size(engine.workers), engine.pin), work);
}

}  // namespace hogwild
