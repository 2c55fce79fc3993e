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

/// A run as observers are told of it before the first epoch.
struct run_start {
  std::string_view model, engine;                                  ///< their names
  std::size_t workers = 0, epochs = 0;                             ///< workers that train; epochs asked for
  std::size_t rows = 0, parameters = 0;                            ///< of this process; of the model
  std::uint64_t nonzeros = 0;                                      ///< entries of the rows
  double step = 0.0, decay = 1.0, l2 = 0.0, search_seconds = 0.0;  ///< as train_result has them
  /// Rows finished so far in the whole run; may be called from any thread until on_finish or on_failure.
  std::function<std::uint64_t()> rows_done;
};

/// The answer of an observer: whether the run is to go on. The answer `stop` ends it as train_options::stop does,
/// with the status `stopped` and what was trained so far; of several processes that train together one answer ends the
/// run of all. After the last epoch, or where the run ends anyway, it makes no difference.
enum class observer_answer { go_on, stop };

/// Is told how a run goes; the library itself prints nothing but notes that nobody takes (set_default_notes()). All
/// calls come from the thread that called train(); no worker trains meanwhile, but where a note is told.
///
/// An exception of a callback ends the run and leaves train() as it is: observers behind it do not hear of what it was
/// told, and all hear of on_failure(), of whom some may have heard of on_finish(). Nothing is lost that was written
/// before: a checkpoint is of the epoch before the one whose on_epoch() throws. Processes that train together with this
/// one end with worker_error, and with rank_failure where they divide models. What on_failure() throws is dropped.
class observer {
 public:
  virtual ~observer() = default;
  virtual void on_start(const run_start&) {}  ///< before the first epoch
  /// After each epoch that is measured (train_options::measure_every): `epoch` goes from 1 to train_result::epochs, of
  /// a run that is resumed from where it goes on. Not after one that was broken off because the run was asked to stop,
  /// nor after one that is trained again. The checkpoint of an epoch is written after this, whatever the answer.
  virtual observer_answer on_epoch(const epoch_report&) { return observer_answer::go_on; }
  /// With train_options::rounds: after each of so many parts of an epoch, the last one too, also of an epoch that will
  /// be trained again. A stop breaks the epoch off, unmeasured.
  virtual observer_answer on_round(const round_report&) { return observer_answer::go_on; }
  /// A sentence worth telling: a worker was replaced, a checkpoint refused, fewer workers train than were asked for.
  /// Where no observer of a run overrides this, notes go to the sink of set_default_notes(): standard error at first.
  virtual void on_note(std::string_view) {}
  virtual void on_finish(const train_result&) {}  ///< after the last one: what train() returns
  virtual void on_failure() {}  ///< in place of on_finish: the run ends with an exception, which follows
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

/// Whether observers of this type override on_note(). Nothing is known of those that are given as observers only, which
/// count as if they did.
template <class O>
constexpr bool overrides_notes() {
  if constexpr (std::is_same_v<O, observer>) return true;
  if constexpr (requires { &O::on_note; }) return !std::is_same_v<decltype(&O::on_note), decltype(&observer::on_note)>;
  return true;
}

/// A function as an observer: of epochs, or of rounds where it does not take those.
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

/// One of a run's observers, however it is given:
///
///     &seen, seen                an observer that outlives the run, and is told itself
///     printer(), std::move(p)    an observer by value, which is moved in and goes with the options
///     std::make_shared<...>()    one that is shared, or handed over by a std::unique_ptr
///     [](const epoch_report& e) { ... }    a function of epochs or, of round_report, of rounds: copied; it returns
///                                          nothing, or an answer
///
/// Copies, as of train_options, tell the same observer.
class observer_handle {
 public:
  observer_handle(std::nullptr_t) {}  ///< none, which train() refuses
  /// An observer that outlives the run.
  template <std::derived_from<observer> O>
  observer_handle(O* outlives) : told_(std::shared_ptr<void>(), outlives), takes_notes_(detail::overrides_notes<O>()) {}
  /// The same.
  template <std::derived_from<observer> O>
  observer_handle(O& outlives) requires(!std::is_const_v<O>) : observer_handle(&outlives) {}
  /// An observer that goes with the options.
  template <std::derived_from<observer> O>
  observer_handle(O&& mine) requires(!std::is_reference_v<O> && !std::is_const_v<O>)
      : observer_handle(std::make_shared<O>(std::move(mine))) {}
  /// One that is shared.
  template <std::derived_from<observer> O>
  observer_handle(std::shared_ptr<O> shared) : told_(std::move(shared)), takes_notes_(detail::overrides_notes<O>()) {}
  /// One that is handed over.
  template <std::derived_from<observer> O>
  observer_handle(std::unique_ptr<O> mine) : observer_handle(std::shared_ptr<O>(std::move(mine))) {}
  /// A function of epochs, or of rounds.
  template <class F>
  observer_handle(F f) requires(detail::hears<F, epoch_report> || detail::hears<F, round_report>)
      : observer_handle(std::make_shared<detail::function_observer<F>>(std::move(f))) {}

  observer* get() const { return told_.get(); }         ///< null where there is none
  observer& operator*() const { return *told_; }        ///< there has to be one
  observer* operator->() const { return told_.get(); }  ///< likewise
  /// Whether its type overrides on_note(); of one that was given as an observer only, true.
  bool takes_notes() const { return takes_notes_; }

 private:
  std::shared_ptr<observer> told_;
  bool takes_notes_ = false;
};

}  // namespace hogwild
