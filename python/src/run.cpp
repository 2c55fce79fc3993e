// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include <hogwild/detail/command/registered_training.hpp>
#include <hogwild/detail/embeddings/side_vectors.hpp>
#include <hogwild/detail/models/text_vectors.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/trained_model.hpp>

#include <calibrate.hpp>
#include <model_from_request.hpp>
#include <several_request.hpp>
#include <summary.hpp>
#include <training.hpp>

#include "bindings.hpp"
#include "request.hpp"

namespace hogwild::python {
namespace {

constexpr std::chrono::milliseconds between_signals{20};

void put(nb::dict& into, const std::string& name, const measurement& m) {
  into[(name + "_loss").c_str()] = m.loss;
  for_each_measure(
      m, [&](const measure& each, double value) { into[(name + "_" + std::string(each.name)).c_str()] = value; });
}

nb::dict in_python(const epoch_report& e) {
  nb::dict told;
  told["epoch"] = e.epoch;
  told["train_seconds"] = e.train_seconds;
  told["wall_seconds"] = e.wall_seconds;
  told["examples"] = e.examples;
  told["updates"] = e.updates;
  told["step"] = e.step;
  told["train_loss"] = e.train_loss;
  told["objective"] = e.objective;
  if (e.gap) told["gap"] = *e.gap;
  if (e.validation) put(told, "validation", *e.validation);
  if (e.test) put(told, "test", *e.test);
  if (e.staleness_p50) told["staleness_p50"] = *e.staleness_p50;
  if (e.staleness_p99) told["staleness_p99"] = *e.staleness_p99;
  if (e.conflict_rate) told["conflict_rate"] = *e.conflict_rate;
  return told;
}

/// Models of one class against the rest begin with those of the same classes; `columns` in the numbering of `from`.
void begin_classes_with(const saved_model& from, std::span<const std::uint32_t> columns, bool bias,
                        std::span<float> parameters) {
  const std::size_t classes = parameters.size() / (columns.size() + (bias ? 1 : 0));
  if (from.width != classes || from.labels.kind() != label_kind::classes)
    throw config_error("a model of " + std::to_string(from.width) + " numbers for each column cannot begin " +
                       std::to_string(classes) + " classes, each against the rest");
  const column_numbering numbering(from.columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t there = numbering.position(columns[j]);
    if (there != column_numbering::unknown)
      std::ranges::copy(from.row(there), parameters.begin() + static_cast<std::ptrdiff_t>(j * classes));
  }
  if (bias && from.bias.size() == classes)
    std::ranges::copy(from.bias, parameters.end() - static_cast<std::ptrdiff_t>(classes));
}

}  // namespace

python_run::python_run(nb::object rows, const std::vector<std::string>& words, nb::object initial, nb::object told,
                       const std::string& source, nb::object own)
    : rows_(std::move(rows)),
      initial_(std::move(initial)),
      told_(std::move(told)),
      own_(std::move(own)),
      tells_(!told_.is_none()),
      data_(nb::cast<const python_rows&>(rows_)),
      request_(request_of(words, source)) {
  if (nb::isinstance<word_vectors>(initial_))
    vectors_to_begin_with_ = &nb::cast<const word_vectors&>(initial_);
  else if (!initial_.is_none())
    begin_with_ = &nb::cast<const saved_model&>(initial_);
  if (!own_.is_none()) model_ = &nb::cast<const own_model&>(own_);
  if (cli::find_training(request_.model) != nullptr && (model_ == nullptr || model_->name() != request_.model))
    throw config_error("there is no model " + request_.model + ": hogwild.models() has those that there are");
  thread_ = std::thread([this] {
    try {
      run();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      fault_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
}

/// Keeps a run alive while its callback is called: if the callback drops the run, the main interpreter's thread waits
/// for its end.
class kept_run {
 public:
  explicit kept_run(nb::object run) : run_(std::move(run)) {}
  kept_run(const kept_run&) = delete;
  kept_run& operator=(const kept_run&) = delete;
  ~kept_run() {
    if (Py_REFCNT(run_.ptr()) > 1) return;
    nb::inst_ptr<python_run>(run_)->stop();
    const auto drop = [](void* run) {
      Py_DECREF(static_cast<PyObject*>(run));
      return 0;
    };
    while (Py_AddPendingCall(drop, run_.ptr()) != 0) {  // the queue of pending calls is full
      const nb::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    run_.release();
  }

 private:
  nb::object run_;
};

python_run::~python_run() {
  dropped_ = true;
  stop_.request_stop();
  const nb::gil_scoped_release release;  // a callback may be waiting for it
  thread_.join();
}

void python_run::begin_with(const word_vectors& vectors, const named_model& m, std::span<const std::uint32_t> columns,
                            train_options& options) {
  const text_classifier* const texts = std::get_if<text_classifier>(&m);
  if (!data_.words() && (texts == nullptr || data_.schema() == nullptr))
    throw config_error("models of words, and text_classifier on labelled text, begin with word vectors");
  // Trials of a step search begin with them, too; it is noted once.
  options.initial = [this, &vectors, &m, texts, columns, told = std::make_shared<bool>(false)](std::span<float> all) {
    const std::size_t taken =
        data_.words() ? warm_start(vectors, m, *data_.words(), all)
                      : begin_with_vectors(vectors, *texts, *data_.schema(), columns, all) * texts->dimension;
    if (!std::exchange(*told, true))
      on_note("begins with " + std::to_string(taken) + " of " + std::to_string(all.size()) +
              " parameters from the word vectors");
  };
}

void python_run::run() {
  std::optional<sparse_dataset> of_words;
  if (data_.words()) of_words = cli::rows_of_words(request_, *data_.dataset());
  sparse_view rows = of_words ? of_words->view() : data_.view();
  rows.first_column = data_.first_column();
  const std::vector<std::uint32_t> columns = data_.columns();
  const std::shared_ptr<const saved_model> initial(std::shared_ptr<void>(), begin_with_);
  const named_model m = model_ != nullptr
                            ? model_->on(rows)
                            : cli::model_of(request_, rows, agreement(nullptr), data_.words() ? nullptr : initial);
  train_options options = request_.options;
  if (model_ != nullptr) model_->complete(options);
  options.data_name = request_.data;
  options.stop = stop_.get_token();
  options.observers.push_back(this);
  // In the numbering of the initial model, whose first column may have another number.
  std::vector<std::uint32_t> known = columns;
  if (vectors_to_begin_with_ != nullptr) {
    begin_with(*vectors_to_begin_with_, m, columns, options);
  } else if (initial && data_.words()) {
    options.initial = [&](std::span<float> all) {
      std::ranges::copy(parameters_of_words(*initial, m, *data_.words(), request_.data), all.begin());
    };
  } else if (initial) {
    for (std::uint32_t& column : known) column += detail::said_first_column(*initial) - data_.first_column();
    if (request_.several.one_vs_rest)
      options.initial = [&](std::span<float> all) { begin_classes_with(*initial, known, request_.options.bias, all); };
    else if (data_.features() != nullptr)
      options.initial = [&](std::span<float> parameters) {
        begin_with_features(*initial, m, rows, *data_.features(), {}, parameters);
      };
    else
      options.initial = [&](std::span<float> parameters) { warm_start(*initial, m, known, {}, parameters); };
    const std::string told = cli::go_on_with_state(
        request_, *initial, "the initial model",
        [&](std::size_t k, std::span<float> values) {
          if (data_.features() != nullptr)
            begin_with_features(*initial, m, rows, *data_.features(), {}, values, &initial->state.arrays[k]);
          else
            warm_start_state(*initial, k, m, known, {}, values);
        },
        options);
    if (!told.empty()) on_note(told);
  }
  const bool of_table = initial && !initial->schema.empty() && !names_side_features(*initial);
  if (initial && (of_table || data_.schema() != nullptr))
    throw config_error(
        "a model of a table is trained further by the command, which finds columns by their names: "
        "python -m hogwild train TABLE --init MODEL");
  if (initial && !data_.label_words().empty() && !std::ranges::equal(data_.label_words(), initial->label_words()))
    throw config_error(
        "the labels of these rows are other words than those of the model: the command goes on with its words, "
        "python -m hogwild train FILE --init MODEL");
  std::optional<cli::rows_to_calibrate> held_back;
  if (request_.calibrate != calibration_kind::none) held_back.emplace(request_, m, rows, columns, options);
  train_result result = cli::train_with_engine(m, rows, request_, options, nullptr);
  std::optional<saved_model> saved;
  std::optional<word_vectors> vectors;
  std::optional<named_model> trained;
  const bool sound = result.status != run_status::diverged || std::isfinite(result.objective);
  const bool keeps =
      (model_ == nullptr || model_->is_saved()) && sound && !result.parameters.empty() && result.examples > 0;
  if (keeps && data_.words())
    vectors = vectors_of(m, result.parameters, *data_.words()), trained = m;
  else if (keeps)
    saved = request_.several.keeps_several() ? cli::saved_of_several(request_, m, result, columns)
                                             : to_saved(m, result.parameters, result.labels, columns);
  if (saved) {
    cli::keep_state(result.state, m, columns, *saved);
    if (data_.features() != nullptr) compose_features(*saved, rows, *data_.features());
    detail::say_first_column(*saved, data_.first_column());
    detail::say_scaling(*saved, result.scale);
    data_.name_columns(*saved);
    const std::string note = held_back ? held_back->calibrate(*saved) : std::string();
    if (!note.empty()) on_note(note);
  }
  const std::lock_guard lock(mutex_);
  result_ = std::move(result);
  saved_ = std::move(saved);
  vectors_ = std::move(vectors);
  of_words_ = std::move(trained);
}

nb::object python_run::wait(std::optional<double> seconds) {
  using clock = std::chrono::steady_clock;
  const auto until = seconds ? clock::now() + std::chrono::duration_cast<clock::duration>(
                                                  std::chrono::duration<double>(std::clamp(*seconds, 0.0, 1e8)))
                             : clock::time_point::max();
  nb::object raised = nb::none();
  while (!ended_by(std::min(clock::now() + between_signals, until)) && clock::now() < until) {
    if (PyErr_CheckSignals() == 0) continue;
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    raised = nb::steal(value);
    stop_.request_stop();
  }
  if (!running()) told_ = nb::none();  // the callback may refer to the owner of this
  return raised;
}

bool python_run::ended_by(std::chrono::steady_clock::time_point until) {
  const nb::gil_scoped_release release;
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return ended_; });
}

bool python_run::running() const {
  const std::lock_guard lock(mutex_);
  return !ended_;
}

std::uint64_t python_run::rows_done() const {
  const std::lock_guard lock(mutex_);
  return done_ ? done_() : rows_done_;
}

nb::list python_run::epochs() const {
  std::vector<epoch_report> all;
  {
    const std::lock_guard lock(mutex_);
    all = epochs_;
  }
  nb::list told;
  for (const epoch_report& e : all) told.append(in_python(e));
  return told;
}

nb::list python_run::notes() const {
  const std::lock_guard lock(mutex_);
  nb::list told;
  for (const std::string& note : notes_) told.append(note.c_str());
  return told;
}

void python_run::require_end() {
  {
    const nb::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
  }
  // Cleared when raised: its traceback leads to the caller, and from there to this object.
  if (raised_.is_valid()) {
    const nb::object raised = std::move(raised_);
    fault_ = std::make_exception_ptr(
        std::runtime_error("the callback has ended the run: " + nb::cast<std::string>(nb::repr(raised))));
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
    throw nb::python_error();
  }
  if (fault_) std::rethrow_exception(fault_);
}

std::string python_run::summary() {
  require_end();
  return cli::summary_json(request_, result_, {});
}

std::optional<saved_model> python_run::saved() {
  require_end();
  return saved_;
}

std::optional<word_vectors> python_run::vectors() {
  require_end();
  return vectors_;
}

std::optional<saved_model> python_run::saved_words(std::uint64_t min_count) {
  require_end();
  if (!of_words_) return std::nullopt;
  return word_model_of(*of_words_, result_.parameters, *data_.words(), min_count);
}

bool python_run::diverged() {
  require_end();
  return result_.status == run_status::diverged;
}

std::vector<float> python_run::parameters() {
  require_end();
  return result_.parameters;
}

void python_run::on_start(const run_start& start) {
  const std::lock_guard lock(mutex_);
  done_ = start.rows_done;
}

observer_answer python_run::on_epoch(const epoch_report& report) {
  {
    const std::lock_guard lock(mutex_);
    epochs_.push_back(report);
    epochs_.back().parameters = {};  // they are invalid when this returns
  }
  if (!tells_) return observer_answer::go_on;
  const nb::gil_scoped_acquire hold;
  if (dropped_) return observer_answer::stop;
  const kept_run kept(nb::find(this));
  try {
    const nb::object answer = told_(in_python(report));
    return nb::cast<bool>(nb::bool_(answer)) ? observer_answer::stop : observer_answer::go_on;
  } catch (const nb::python_error& e) {
    raised_ = nb::borrow(e.value());
  }
  // Not Python's exception, because this run would then hold a reference that collect() does not see.
  throw std::runtime_error("the callback has raised an exception");
}

void python_run::on_note(std::string_view note) {
  const std::lock_guard lock(mutex_);
  notes_.emplace_back(note);
}

void python_run::forget_rows_done() {
  const std::lock_guard lock(mutex_);
  if (done_) rows_done_ = done_();
  done_ = {};
}

int python_run::collect(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const python_run& run = *nb::inst_ptr<python_run>(self);
  Py_VISIT(run.told_.ptr());
  Py_VISIT(run.raised_.ptr());
  return 0;
}

int python_run::let_go(PyObject* self) {
  python_run& run = *nb::inst_ptr<python_run>(self);
  run.dropped_ = true;
  run.stop_.request_stop();
  // Not by reset(): the destructors may access this run.
  const nb::object told = std::exchange(run.told_, nb::none());
  const nb::object raised = std::move(run.raised_);
  return 0;
}

void bind_run(nb::module_& m) {
  static PyType_Slot collected[] = {{Py_tp_traverse, reinterpret_cast<void*>(python_run::collect)},
                                    {Py_tp_clear, reinterpret_cast<void*>(python_run::let_go)},
                                    {0, nullptr}};
  nb::class_<python_run>(m, "Run", nb::type_slots(collected))
      .def(nb::init<nb::object, const std::vector<std::string>&, nb::object, nb::object, const std::string&,
                    nb::object>(),
           nb::arg("rows"), nb::arg("words"), nb::arg("initial").none(), nb::arg("told").none(), nb::arg("source"),
           nb::arg("own").none() = nb::none())
      .def("wait", &python_run::wait, nb::arg("seconds").none() = nb::none())
      .def("stop", &python_run::stop)
      .def_prop_ro("running", &python_run::running)
      .def_prop_ro("rows_done", &python_run::rows_done)
      .def("epochs", &python_run::epochs)
      .def("notes", &python_run::notes)
      .def("summary", &python_run::summary)
      .def("saved", &python_run::saved)
      .def("vectors", &python_run::vectors)
      .def("saved_words", &python_run::saved_words)
      .def("diverged", &python_run::diverged)
      .def("parameters", [](python_run& run) { return to_numpy(run.parameters()); });
  m.def("facts_of_models", facts_of_models);
  m.def("option_texts", option_texts);
}

}  // namespace hogwild::python
