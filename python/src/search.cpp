// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/search/for_each_in_threads.hpp>
#include <hogwild/detail/search/trials_side_by_side.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/search.hpp>

#include <model_from_request.hpp>

#include "bindings.hpp"
#include "hearing_signals.hpp"
#include "request.hpp"
#include "rows.hpp"

namespace hogwild::python {
namespace {

/// Trials that Python adds. Only one thread at a time calls it.
class python_trials {
 public:
  /// `measures`: the names of those that are asked for, and "loss"; without any, parameters are kept.
  python_trials(std::size_t threads, const std::set<std::string>& measures)
      : how_{.threads = threads,
             .all_measures = !measures.empty(),
             .sorts = std::ranges::any_of(
                 all_measures(), [&](const measure& m) { return m.sorts && measures.contains(std::string(m.name)); }),
             .keeps_parameters = measures.empty(),
             .stop = stop_.get_token()} {}

  /// Adds a trial of these options, trained on `rows` and measured on `test`. Returns false if such a trial needs a run
  /// of its own.
  bool add(const nb::object& rows, const nb::object& test, const std::vector<std::string>& words,
           const std::string& source) {
    std::optional<side_by_side_trial> one = trial_on(rows, words, source);
    if (!one) return false;
    one->options.test = nb::cast<const python_rows&>(test).view();
    one->alike += place_of(test);
    waiting_.push_back(std::move(*one));
    asked_.push_back({request_for(words, source), rows});
    kept_.append(test);
    return true;
  }

  /// Adds a trial of these options for each fold, which holds out its part of `rows`. `fold_of` has the fold of each
  /// row, in the order in which rows were given, as 8-bit numbers. Returns false, and adds nothing, if such trials need
  /// runs of their own.
  bool add_folds(const nb::object& rows, const array& fold_of, std::size_t folds, const std::vector<std::string>& words,
                 const std::string& source) {
    std::optional<side_by_side_trial> one = trial_on(rows, words, source);
    if (!one || !trials_side_by_side::suits_folds(*one)) return false;
    one->folds = folds_for(rows, fold_of);
    one->alike += " " + std::to_string(reinterpret_cast<std::uintptr_t>(one->folds.get()));
    for (std::size_t fold = 0; fold < folds; ++fold) {
      waiting_.push_back(*one);
      waiting_.back().held_out = static_cast<std::uint32_t>(fold);
      asked_.push_back({request_for(words, source), rows});
    }
    return true;
  }

  /// Parses the options of several trials in several threads, before they are added. add() refuses those that are
  /// wrong.
  void read(const std::vector<std::vector<std::string>>& several, const std::string& source) {
    std::vector<std::shared_ptr<const cli::train_request>> found(several.size());
    {
      const nb::gil_scoped_release release;
      detail::for_each_in_threads(several.size(), how_.threads, [&](std::size_t i) {
        try {
          found[i] = std::make_shared<const cli::train_request>(request_of(several[i], source));
        } catch (const std::exception&) {
          found[i].reset();
        }
      });
    }
    for (std::size_t i = 0; i < several.size(); ++i)
      if (found[i]) requests_.emplace(several[i], found[i]);
  }

  void train(const std::vector<std::size_t>& which, std::size_t epochs) {
    if (!trials_) trials_.emplace(std::move(waiting_), how_);
    hearing_signals(stop_, [&] { trials_->train(which, epochs); });
  }

  nb::dict outcome(std::size_t k) const {
    const side_by_side_outcome& one = trials_->outcome(k);
    nb::dict told;
    told["refused"] = one.refused.c_str();
    told["epochs"] = one.epochs;
    told["trained"] = one.trained;
    told["status"] = std::string(to_string(one.ended)).c_str();
    told["loss"] = one.measured.loss;
    for_each_measure(one.measured, [&](const measure& m, double value) { told[std::string(m.name).c_str()] = value; });
    return told;
  }

  /// The trial's model, as a run of its own would save it; only if parameters are kept, and until the trial is
  /// forgotten.
  saved_model saved(std::size_t k) const {
    const auto& rows = nb::cast<const python_rows&>(asked_[k].rows);
    const sparse_view view = rows.view();
    cli::train_request request = *asked_[k].request;
    const named_model m = cli::model_of(request, view, agreement(nullptr), nullptr);
    const label_map labels = label_map::learn(labels_of(m), view.label, request.data);
    saved_model saved = to_saved(m, trials_->outcome(k).found, labels, rows.columns());
    detail::say_first_column(saved, rows.first_column());
    rows.name_columns(saved);
    return saved;
  }

  void forget(std::size_t k) { trials_->forget(k); }

 private:
  /// Nothing if such a trial needs a run of its own. The caller sets what it is measured on.
  std::optional<side_by_side_trial> trial_on(const nb::object& rows, const std::vector<std::string>& words,
                                             const std::string& source) {
    const auto request = request_for(words, source);
    const sparse_view training = nb::cast<const python_rows&>(rows).view();
    const train_options& o = request->options;
    if (o.validation_fraction > 0.0 || o.reproducible || request->engine != cli::engine_name::serial)
      return std::nullopt;
    const std::optional<model_traits> traits = cli::traits_of_lane(*request, training);
    if (!traits) return std::nullopt;
    side_by_side_trial one = cli::lane_of(request, *traits, training);
    one.alike = place_of(rows) + common(words) + (o.l1 > 0.0 ? " with l1 " : " ");
    kept_.append(rows);
    return one;
  }

  /// The folds in the order in which rows lie in memory.
  std::shared_ptr<const std::vector<std::uint8_t>> folds_for(const nb::object& rows, const array& fold_of) {
    auto& known = folds_[{rows.ptr(), fold_of.data()}];
    if (known) return known;
    given_folds_.push_back(fold_of);
    const auto& given = nb::cast<const python_rows&>(rows);
    std::optional<sparse_dataset> numbered;  // if rows are shuffled
    if (given.dataset() != nullptr) numbered.emplace(*given.dataset()).number_rows();
    const sparse_view view = numbered ? numbered->view() : given.view();
    const auto* const fold = static_cast<const std::uint8_t*>(fold_of.data());
    auto folds = std::make_shared<std::vector<std::uint8_t>>(view.rows());
    for (std::size_t r = 0; r < view.rows(); ++r) (*folds)[r] = fold[view.id_of(r)];
    return known = std::move(folds);
  }

  /// Parsing words takes longer than everything else for a trial, and folds have the same words.
  std::shared_ptr<const cli::train_request> request_for(const std::vector<std::string>& words,
                                                        const std::string& source) {
    auto& known = requests_[words];
    if (known == nullptr) known = std::make_shared<const cli::train_request>(request_of(words, source));
    return known;
  }

  static std::string place_of(const nb::object& of) {
    return std::to_string(reinterpret_cast<std::uintptr_t>(of.ptr()));
  }

  static std::string common(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      const auto is_of_a_lane = [&](std::string_view name) { return word.starts_with("--" + std::string(name) + "="); };
      if (std::ranges::none_of(options_of_a_lane, is_of_a_lane)) text += " " + word;
    }
    return text;
  }

  /// The parts of a trial.
  struct asked {
    std::shared_ptr<const cli::train_request> request{};
    nb::object rows{};
  };

  std::stop_source stop_{};
  trials_side_by_side::settings how_;
  std::map<std::vector<std::string>, std::shared_ptr<const cli::train_request>> requests_{};
  std::map<std::pair<const void*, const void*>, std::shared_ptr<const std::vector<std::uint8_t>>> folds_{};
  std::vector<side_by_side_trial> waiting_{};
  std::vector<asked> asked_{};  ///< for each trial
  nb::list kept_{};             ///< the trials' rows
  std::vector<array> given_folds_{};
  std::optional<trials_side_by_side> trials_{};
};

/// Answers a search from known results, and notes what else it asks for.
class known_results final : public trial_trainer {
 public:
  using table = std::map<std::pair<std::size_t, std::size_t>, double>;  ///< the metric by trial and epochs
  explicit known_results(const table& known) : known_(known) {}

  void train(std::span<trial* const> some, std::size_t epochs) override {
    for (trial* const t : some) {
      const auto found = known_.find({t->number, epochs});
      if (found == known_.end()) {
        missing.push_back(t->number);
        epochs_of_missing = epochs;
      } else {
        t->epochs = epochs;
        t->metric = found->second;
      }
    }
  }

  std::vector<std::size_t> missing{};
  std::size_t epochs_of_missing = 0;

 private:
  const table& known_;
};

search_options options_for(const std::string& strategy, std::size_t epochs, std::size_t trials, std::size_t eta) {
  const strategy_kind kind = strategy == "hyperband" ? strategy_kind::hyperband : strategy_kind::halving;
  return {.strategy = kind, .epochs = epochs, .trials = trials, .eta = eta};
}

/// The caller has the points: a search uses only their numbers and results.
search_space no_space() {
  return search_space({{.option = "trial", .values = std::vector<std::string>{"0"}}});
}

nb::list plan(const std::string& strategy, std::size_t epochs, std::size_t trials, std::size_t eta) {
  nb::list brackets;
  for (const search_bracket& b : plan_search(no_space(), options_for(strategy, epochs, trials, eta))) {
    nb::list rungs;
    for (const search_rung& r : b.rungs) rungs.append(nb::make_tuple(r.trials, r.epochs));
    brackets.append(rungs);
  }
  return brackets;
}

/// Runs the search on the results so far. Returns which trials to train next, and up to how many epochs; or, if none,
/// the best one's number, or None.
nb::tuple go_on(const std::string& strategy, std::size_t epochs, std::size_t trials, std::size_t eta,
                const nb::list& results) {
  known_results::table known;
  for (const nb::handle result : results) {
    const auto one = nb::cast<nb::tuple>(result);
    known[{nb::cast<std::size_t>(one[0]), nb::cast<std::size_t>(one[1])}] = nb::cast<double>(one[2]);
  }
  known_results trainer(known);
  const search_result found = run_search(no_space(), options_for(strategy, epochs, trials, eta), trainer);
  nb::list next;
  for (const std::size_t number : trainer.missing) next.append(number);
  const nb::object best = found.best ? nb::object(nb::int_(*found.best)) : nb::object(nb::none());
  return nb::make_tuple(next, trainer.epochs_of_missing, best);
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<python_trials>(m, "Trials")
      .def(nb::init<std::size_t, const std::set<std::string>&>(), nb::arg("threads"), nb::arg("measures"))
      .def("add", &python_trials::add, nb::arg("rows"), nb::arg("test"), nb::arg("words"), nb::arg("source"))
      .def("add_folds", &python_trials::add_folds, nb::arg("rows"), nb::arg("fold_of"), nb::arg("folds"),
           nb::arg("words"), nb::arg("source"))
      .def("read", &python_trials::read, nb::arg("several"), nb::arg("source"))
      .def("train", &python_trials::train, nb::arg("which"), nb::arg("epochs"))
      .def("outcome", &python_trials::outcome)
      .def("saved", &python_trials::saved)
      .def("forget", &python_trials::forget);
  m.def("plan_search", plan, nb::arg("strategy"), nb::arg("epochs"), nb::arg("trials"), nb::arg("eta"));
  m.def("go_on_with_search", go_on, nb::arg("strategy"), nb::arg("epochs"), nb::arg("trials"), nb::arg("eta"),
        nb::arg("results"));
}

}  // namespace hogwild::python
