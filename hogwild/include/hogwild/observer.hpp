// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include <hogwild/result.hpp>

namespace hogwild {

/// The report to observers before the first epoch of a run.
struct run_start {
  std::string_view model, engine;                                  ///< their names
  std::size_t workers = 0, epochs = 0;                             ///< workers that train; epochs asked for
  std::size_t rows = 0, parameters = 0;                            ///< of this process; of the model
  std::uint64_t nonzeros = 0;                                      ///< entries of the rows
  double step = 0.0, decay = 1.0, l2 = 0.0, search_seconds = 0.0;  ///< as in train_result
  /// Rows finished so far in the whole run; may be called from any thread until on_finish or on_failure.
  std::function<std::uint64_t()> rows_done;
};

/// An observer's answer: whether the run goes on. `stop` ends it as train_options::stop does: with the status `stopped`
/// and the parameters trained so far. If several processes train together, one `stop` ends the run of all. It has no
/// effect if the run ends anyway, as after the last epoch.
enum class observer_answer { go_on, stop };

namespace detail {
/// Called where an observer does not take a note.
void leave_note();
}  // namespace detail

/// Receives the progress of a run. The library itself prints only notes that no observer takes (set_default_notes()).
/// All calls come from the thread that called train(). No worker trains during a call, except of on_note().
///
/// An exception from a callback ends the run, and train() throws it. Later observers do not get that call, and
/// on_failure() of all observers is called, even if on_finish() was before. Files written before are kept: if
/// on_epoch() throws, the checkpoint is that of the epoch before. Other processes that train together with this one end
/// with worker_error, or with rank_failure if they divide models. Exceptions from on_failure() are ignored.
class observer {
 public:
  virtual ~observer() = default;
  virtual void on_start(const run_start&) {}  ///< before the first epoch
  /// After each measured epoch (train_options::measure_every). `epoch` counts from 1, or from where a resumed run goes
  /// on, to train_result::epochs. Not called after an epoch that a request to stop broke off, nor after one that is
  /// trained again. The epoch's checkpoint is written after this call, whatever the answer.
  virtual observer_answer on_epoch(const epoch_report&) { return observer_answer::go_on; }
  /// With train_options::rounds: after each round, including the last one of an epoch, and also in an epoch that will
  /// be trained again. `stop` breaks the epoch off, unmeasured.
  virtual observer_answer on_round(const round_report&) { return observer_answer::go_on; }
  /// A note, which is one sentence: a worker was replaced, say, or fewer workers train than were asked for. If no
  /// observer of a run overrides this, notes go to the function given to set_default_notes(), by default to standard
  /// error.
  virtual void on_note(std::string_view) { detail::leave_note(); }
  virtual void on_finish(const train_result&) {}  ///< at the end, with what train() returns
  virtual void on_failure() {}                    ///< instead of on_finish, before train() throws an exception
};

namespace detail {

template <class F, class Report>
concept hears = requires(F& f, const Report& report) {
  { f(report) } -> std::same_as<void>;
}
|| requires(F& f, const Report& report) {
  { f(report) } -> std::same_as<observer_answer>;
};

template <class F, class Report>
observer_answer tell(F& f, const Report& report) {
  if constexpr (std::is_void_v<decltype(f(report))>) {
    f(report);
    return observer_answer::go_on;
  } else {
    return f(report);
  }
}

/// An observer that calls a function: after each epoch or, if it does not take an epoch_report, after each round.
template <class F>
class function_observer final : public observer {
 public:
  explicit function_observer(F f) : f_(std::move(f)) {}
  observer_answer on_epoch(const epoch_report& report) override {
    if constexpr (hears<F, epoch_report>) return tell(f_, report);
    return observer_answer::go_on;
  }
  observer_answer on_round(const round_report& report) override {
    if constexpr (!hears<F, epoch_report>) return tell(f_, report);
    return observer_answer::go_on;
  }

 private:
  F f_;
};

}  // namespace detail

/// One of a run's observers. It is made from:
///
///     &seen, seen                a reference to an observer, which must outlive the run
///     printer(), std::move(p)    an observer by value, which is moved into the handle
///     std::make_shared<...>()    a std::shared_ptr, or a std::unique_ptr, which gives it up
///     [](const epoch_report& e) { ... }    a function of an epoch_report or a round_report, which is copied; it
///                                          returns nothing or an observer_answer
///
/// Copies of a handle, and so of train_options, refer to the same observer.
class observer_handle {
 public:
  observer_handle(std::nullptr_t) {}  ///< no observer; train() refuses it
  /// An observer that outlives the run.
  template <std::derived_from<observer> O>
  observer_handle(O* outlives) : told_(std::shared_ptr<void>(), outlives) {}
  /// The same, by reference.
  template <std::derived_from<observer> O>
  observer_handle(O& outlives) requires(!std::is_const_v<O>) : observer_handle(&outlives) {}
  /// An observer by value.
  template <std::derived_from<observer> O>
  observer_handle(O&& mine) requires(!std::is_reference_v<O> && !std::is_const_v<O>)
      : observer_handle(std::make_shared<O>(std::move(mine))) {}
  /// A shared observer.
  template <std::derived_from<observer> O>
  observer_handle(std::shared_ptr<O> shared) : told_(std::move(shared)) {}
  /// An observer that the handle takes over.
  template <std::derived_from<observer> O>
  observer_handle(std::unique_ptr<O> mine) : observer_handle(std::shared_ptr<O>(std::move(mine))) {}
  /// A function that is called after each epoch, or each round.
  template <class F>
  observer_handle(F f) requires(detail::hears<F, epoch_report> || detail::hears<F, round_report>)
      : observer_handle(std::make_shared<detail::function_observer<F>>(std::move(f))) {}

  observer* get() const { return told_.get(); }         ///< null if there is none
  observer& operator*() const { return *told_; }        ///< must not be null
  observer* operator->() const { return told_.get(); }  ///< must not be null

 private:
  std::shared_ptr<observer> told_;
};

}  // namespace hogwild
