// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include "members/members_one_by_one.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/time_limit.hpp>
#include <hogwild/engines.hpp>

#include "members/member_groups.hpp"
#include "members/member_rows.hpp"
#include "run/model_run.hpp"
#include "task/require.hpp"

namespace hogwild::detail {

namespace {

train_options with_stop(train_options o, const std::stop_token& stop) {
  o.stop = stop;
  return o;
}

/// The time limit ends the search for a step; of the epochs the whole run decides.
resolved_run begun(const prepared_task& task, std::shared_ptr<const time_limit> limit,
                   std::shared_ptr<const resumed_checkpoint> from) {
  resolved_run run = begin_run(task, std::move(limit), std::move(from));
  run.limit.reset();
  return run;
}

}  // namespace

struct members_one_by_one::own_run {
  own_run(const prepared_data& all, const several_plan& plan, std::size_t k, const std::stop_token& stop,
          const std::shared_ptr<const time_limit>& limit, std::shared_ptr<const resumed_checkpoint> from)
      : rows(all, plan, k),
        task(plan.prepare(rows.rows(), with_stop(rows.options(), stop))),
        run(task, engine, begun(task, limit, std::move(from))) {}

  member_rows rows;
  prepared_task task;
  engine_of<serial_engine> engine{serial_engine{}};
  model_run run;

  model_epochs& epochs() { return run.epochs(); }
};

members_one_by_one::members_one_by_one(const prepared_task& all, const several_plan& plan, thread_team& team,
                                       resolved_run& run, ranks_at_work& ranks)
    : member_training(all, plan, team, run, ranks), members_(behind() - first()) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  ranks_.together([this] {
    const std::string these(description);
    require(plan_.own_models, these + ": use the serial engine or threads");
    require(options_.sharing == sharing_kind::automatic, these + ", so nothing is shared: leave out the sharing");
    const bool resumes = resumed() != nullptr;
    std::vector<std::shared_ptr<const resumed_checkpoint>> states(members_.size());
    if (resumes) states = resumed_members();
    by_threads(team_, members_.size(), [&](std::size_t i) {
      std::shared_ptr<const resumed_checkpoint>& from = states[i];
      if (resumes && !from) return;  // it has ended
      members_[i].trains =
          std::make_unique<own_run>(all_.data, plan_, first() + i, ranks_.stop(), run_.limit, std::move(from));
    });
  });
  const bool given = options_.step.initial || all_.data.defaults().step || resumed() != nullptr;
  if (!given) {
    has_steps_ = found_steps();
    run_.search_seconds = std::chrono::duration<double>(clock::now() - begin).count();
  }
  run_.step_found = !given && has_steps_;
  if (resumed() != nullptr) {
    run_.schedule = resumed_schedule();
  } else {
    run_.schedule = members_.front().trains->run.run().schedule;
    struct {
      double initial, decay;
    } of_first{run_.schedule.initial, run_.schedule.decay};
    ranks_.take_first(of_first);
    run_.schedule.initial = of_first.initial, run_.schedule.decay = of_first.decay;
  }
  run_.plan = all_.task->plan();
}

members_one_by_one::~members_one_by_one() = default;

template <class Work>
void members_one_by_one::for_those_that_train(const Work& work) {
  by_threads(team_, members_.size(), [&](std::size_t i) {
    if (members_[i].trains) work(first() + i, members_[i]);
  });
}

std::vector<std::shared_ptr<const resumed_checkpoint>> members_one_by_one::resumed_members() {
  const checkpoint& file = *resumed();
  const std::string& path = run_.resumed->path;
  joined<std::uint64_t> sizes(file, "sizes of states");
  joined<std::byte> states(file, "states");
  joined<float> parameters(file, "parameters");
  joined<counts> all_counts(file, "counts");
  std::vector<std::shared_ptr<const resumed_checkpoint>> found;
  for (member& m : members_) {
    const std::uint64_t size = sizes.next(1).front();
    m.counted = all_counts.next(1).front();
    rows_done_ += m.counted.examples;
    found.push_back(nullptr);
    if (size == 0)
      m.parameters = parameters.next(all_.task->facts().parameters);
    else
      found.back() = std::make_shared<const resumed_checkpoint>(
          resumed_checkpoint{.path = path, .state = parse_checkpoint(states.next(size), path)});
  }
  return found;
}

void members_one_by_one::put_own(checkpoint& file) const {
  joined<std::uint64_t> sizes;
  joined<std::byte> states;
  joined<float> parameters;
  joined<counts> all_counts;
  for (const member& m : members_) {
    const auto state = m.trains ? checkpoint_bytes(m.trains->epochs().state()) : std::vector<std::byte>();
    sizes.add(std::array{std::uint64_t{state.size()}});
    states.add(state);
    if (!m.trains) parameters.add(m.parameters);
    all_counts.add(std::array{m.counted});
  }
  sizes.put(file, "sizes of states"), states.put(file, "states");
  parameters.put(file, "parameters"), all_counts.put(file, "counts");
}

void members_one_by_one::take_own(const checkpoint&) {
  for (std::size_t k = first(); k < behind(); ++k)
    if (standings_[k].ended.has_value() == (members_[k - first()].trains != nullptr))
      throw input_error("the checkpoint does not tell how its models stand");
}

bool members_one_by_one::have_broken_down() const {
  return std::ranges::any_of(members_,
                             [](const member& m) { return m.trains && m.trains->epochs().has_broken_down(); });
}

void members_one_by_one::begin_own() {
  ranks_.together([this] {
    for_those_that_train([this](std::size_t k, member& m) {
      m.trains->epochs().begin();
      standings_[k].course = m.trains->epochs().progress().course;
    });
  });
}

void members_one_by_one::train_own(std::size_t) {
  for_those_that_train([this](std::size_t, member& m) {
    model_epochs& epochs = m.trains->epochs();
    if (ranks_.stop().stop_possible()) m.before = epochs.parameters();
    epochs.train();
  });
}

bool members_one_by_one::measure_own(std::size_t epoch, bool measured) {
  std::atomic<bool> whole = true;
  for_those_that_train([&](std::size_t, member& m) {
    model_epochs& epochs = m.trains->epochs();
    const auto conclude = [&] { epochs.conclude(measured && epochs.progress().epoch + 1 == epoch); };
    conclude();
    // A run may have turned back.
    while (epochs.goes_on() && epochs.progress().epoch < epoch)
      if (epochs.train()) conclude();
    if (!epochs.goes_on() && epochs.status() == run_status::stopped) whole = false;
  });
  return whole;
}

void members_one_by_one::settle_own(std::size_t, std::size_t) {
  for_those_that_train([this](std::size_t k, member& m) {
    model_epochs& epochs = m.trains->epochs();
    standing& now = standings_[k];
    now.loss = epochs.last().train_loss, now.objective = epochs.last().objective;
    now.course = epochs.progress().course;
    if (epochs.last().gap) {
      now.reached = epochs.progress().rules.best_objective;
      now.distance = now.reached - epochs.optimum()->lowest();
    }
    rows_done_ += epochs.last().examples - std::exchange(m.counted, counts::of(epochs.last())).examples;
    if (!epochs.goes_on() && epochs.status() != run_status::done) end(k, epochs.status());
  });
}

void members_one_by_one::end(std::size_t k, run_status how) {
  member& m = members_[k - first()];
  train_result result = m.trains->epochs().finish();
  standing& now = standings_[k];
  now.loss = result.train_loss, now.objective = result.objective;
  now.ended = result.status == run_status::diverged ? result.status : how;
  m.counted = {result.examples, result.updates, result.nonzeros};
  m.parameters = std::move(result.parameters);
  m.trains.reset();
}

void members_one_by_one::end_rest() {
  for_those_that_train([this](std::size_t k, member&) { end(k, run_status::done); });
}

void members_one_by_one::keep_pass() {
  for (member& m : members_) m.before = {};
}

void members_one_by_one::take_back_pass() {
  for (member& m : members_)
    if (m.trains && !m.before.empty()) m.trains->epochs().leave(std::exchange(m.before, {}));
}

std::vector<float> members_one_by_one::parameters(std::size_t k) const {
  const member& m = members_[k - first()];
  return m.trains ? m.trains->epochs().parameters() : m.parameters;
}

epoch_report members_one_by_one::counted() const {
  epoch_report sum;
  for (const member& m : members_) m.counted.add_to(sum);
  return sum;
}

}  // namespace hogwild::detail
