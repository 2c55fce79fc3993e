// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include <hogwild/detail/run/names.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "rivals/rival.hpp"
#include "sets.hpp"

namespace hogwild::bench {
namespace {

constexpr std::array known_engines{engine_kind::serial, engine_kind::threads, engine_kind::processes,
                                   engine_kind::ring};
constexpr std::array known_updates{update_kind::lossy, update_kind::exact, update_kind::locked};
constexpr std::array known_sharing{sharing_kind::direct, sharing_kind::buffered, sharing_kind::head,
                                   sharing_kind::automatic};
constexpr std::array known_rules{ring_rule::deltas, ring_rule::average, ring_rule::released};
constexpr std::array known_isas{isa::automatic, isa::scalar, isa::avx2, isa::avx512};
constexpr std::array known_metrics{metric::train_loss, metric::objective, metric::test_loss, metric::test_accuracy,
                                   metric::test_auc,   metric::test_f1,   metric::test_rmse};

template <class T, std::size_t N>
std::vector<T> list_of(const auto(&values)[N]) {
  return {std::begin(values), std::end(values)};
}

/// The element of `known` that has this name.
template <class T, std::size_t N>
T named(const std::string& name, const std::array<T, N>& known, const std::string& option) {
  std::string names;
  for (const T value : known) {
    if (name_of(value) == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name_of(value));
  }
  throw config_error(option + ": '" + name + "' is not known; there are " + names);
}

template <class T, std::size_t N>
std::vector<T> all_named(const std::vector<std::string>& names, const std::array<T, N>& known,
                         const std::string& option) {
  std::vector<T> found;
  for (const std::string& name : names) found.push_back(named(name, known, option));
  return found;
}

/// Each value once, at its first place: an option that is given twice adds to its list.
template <class T>
void drop_repeated(std::vector<T>& values) {
  std::vector<T> kept;
  for (const T& value : values) {
    if (std::ranges::find(kept, value) == kept.end()) kept.push_back(value);
  }
  values = std::move(kept);
}

/// What stands on the command line as text and becomes something else.
struct words {
  std::vector<std::string> engines = list_of<std::string>(defaults::engines);
  std::vector<std::string> updates = list_of<std::string>(defaults::updates);
  std::vector<std::string> sharing = list_of<std::string>(defaults::sharing);
  std::vector<std::string> exchange = {"deltas"};
  std::string target, data, isa = "auto";
  bool no_scaling = false;
};

target_option read_target(const std::string& text) {
  const std::size_t equals = text.find('=');
  double value = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), value)) {
    throw config_error("--target: write METRIC=NUMBER, for example test_accuracy=0.9");
  }
  return {named(text.substr(0, equals), known_metrics, "--target"), value};
}

void declare_data(CLI::App& app, bench_options& o, words& w) {
  app.add_option("DATA", o.train, "training rows, LIBSVM text")->type_name("");
  app.add_option("--test", o.test, "test rows, LIBSVM text")->type_name("FILE");
  app.add_option("--set", o.set, "a set with its steps instead: see sets.cpp")->type_name("NAME");
  app.add_option("--data", w.data, "folder with the files of the sets")->type_name("DIR")->envname("HOGWILD_DATA_DIR");
  app.add_flag("--generate", o.generated, "make the data: text shaped like RCV1, deleted in the end");
  app.add_option("--rows", o.shape.rows, "rows to make, a tenth of them for testing")->type_name("N");
  app.add_option("--columns", o.shape.columns, "columns to make")->type_name("N");
  app.add_option("--nonzeros", o.shape.nonzeros, "mean entries of a row to make")->type_name("X");
  app.add_flag("--half", o.half, "keep values in half precision");
  app.add_option("--seed", o.seed, "of the data and of the order of rows")->type_name("N");
}

void declare_axes(CLI::App& app, bench_options& o, words& w) {
  app.add_option("--model", o.models, "models to train")->type_name("LIST")->delimiter(',');
  app.add_option("--engines", w.engines, "serial, threads, processes, ring")->type_name("LIST")->delimiter(',');
  app.add_option("--workers", o.workers, "numbers of workers")->type_name("LIST")->delimiter(',');
  app.add_option("--update", w.updates, "lossy, exact, locked")->type_name("LIST")->delimiter(',');
  app.add_option("--sharing", w.sharing, "direct, buffered, head, auto")->type_name("LIST")->delimiter(',');
  app.add_option("--exchange", w.exchange, "deltas, average, released: of rings with one worker a replica")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_flag("--reproducible", o.reproducible, "measure the reproducible mode too");
  app.add_option("--virtual-workers", o.virtual_workers, "of the reproducible mode; 0: its default")->type_name("N");
  app.add_option("--isa", w.isa, "kernels: auto, scalar, avx2, avx512")->type_name("NAME");
  app.add_flag("--oversubscribe", o.oversubscribe, "measure more workers than CPUs too");
}

void declare_runs(CLI::App& app, bench_options& o, words& w) {
  app.add_option("--epochs", o.epochs, "of each run; the first is not counted")->type_name("N");
  app.add_option("--repeats", o.repeats, "runs of each configuration")->type_name("N");
  app.add_option("--budget", o.budget_seconds, "leave out repeats that would take longer; 0: none")->type_name("SEC");
  app.add_option("--step", o.step, "initial step; found once for each model where not given")->type_name("X");
  app.add_option("--decay", o.decay, "factor of the step from epoch to epoch")->type_name("X");
  app.add_option("--l2", o.l2, "regularisation; 1/n where not given")->type_name("X");
  app.add_option("--tolerance", o.tolerance, "fraction by which an objective may miss the reference")->type_name("X");
  app.add_option("--target", w.target, "METRIC=VALUE: report the seconds until it is reached")->type_name("TEXT");
  app.add_option("--target-gap", o.target_gap, "the same for the serial objective plus this fraction")->type_name("X");
}

void declare_rest(CLI::App& app, bench_options& o, words& w) {
  app.add_option("--rivals", o.rivals.names, "all, or of: " + names_of_rivals())->type_name("LIST")->delimiter(',');
  app.add_option("--stick", o.rivals.stick, "program of the measuring stick")->type_name("PATH");
  app.add_option("--hazy", o.rivals.hazy, "program svm of Hazy's Hogwild!")->type_name("PATH");
  app.add_option("--rival-limit", o.rivals.limit_seconds, "seconds that one run of a rival may take")->type_name("SEC");
  app.add_flag("--no-scaling", w.no_scaling, "leave out the table of configurations");
  app.add_flag("--telemetry", o.telemetry, "measure what telemetry costs");
  app.add_flag("--ingest", o.ingest, "measure how fast text becomes arrays, and a warm start");
  app.add_flag("--pss", o.pss, "measure the memory that several processes share");
  app.add_option("--out", o.out, "folder for the record scaling.jsonl")->type_name("DIR");
}

void check(const bench_options& o) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw config_error(sentence);
  };
  require(o.generated == o.train.empty(), "name a data file, or a --set, or say --generate, and only one of them");
  require(!o.generated || o.test.empty(), "--generate makes its own test rows: leave out --test");
  require(o.epochs >= 2, "--epochs: at least 2, because the first epoch of a run is not counted");
  require(o.repeats >= 1, "--repeats: at least 1");
  require(o.budget_seconds >= 0, "--budget: seconds, at least 0");
  require(o.rivals.limit_seconds > 0, "--rival-limit: seconds, more than 0");
  require(!o.decay || o.step, "--decay goes with --step: without a step both are found");
  require(!o.target || !o.target_gap, "--target and --target-gap: only one of them");
  require(!o.target_gap || *o.target_gap > 0, "--target-gap: more than 0, for example 0.01");
  const bool wants_test = o.target && o.target->what != metric::train_loss && o.target->what != metric::objective;
  require(!wants_test || o.generated || !o.test.empty(), "--target: a test metric needs --test");
  for (const std::size_t n : o.workers) require(n >= 1, "--workers: at least 1");
}

/// Fills in what the set says and the command line does not.
void apply_set(bench_options& o, const std::string& folder, const CLI::App& app) {
  const known_set& set = find_set(o.set);
  if (!o.train.empty() || o.generated)
    throw config_error("--set brings its own data: leave out the file or --generate");
  o.generated = set.train.empty();
  if (!o.generated) {
    o.train = file_of_set(folder, set.train).string();
    o.test = file_of_set(folder, set.test).string();
  }
  if (app.count("--model") == 0) o.models = {std::string(set.model)};
  if (app.count("--epochs") == 0) o.epochs = set.epochs;
  if (!o.step) o.step = set.step, o.decay = set.decay;
  if (!o.l2) o.l2 = set.l2;
  o.rivals.exchange_rows = set.exchange_rows;
}

}  // namespace

std::string_view name_of(engine_kind kind) {
  switch (kind) {
    case engine_kind::threads:
      return "threads";
    case engine_kind::processes:
      return "processes";
    case engine_kind::ring:
      return "ring";
    case engine_kind::serial:
      break;
  }
  return "serial";
}

std::optional<bench_options> read_options(int argc, const char* const* argv) {
  bench_options o;
  words w;
  o.models = list_of<std::string>(defaults::models);
  o.workers = list_of<std::size_t>(defaults::workers);

  CLI::App app("Trains the same data with every engine, and with rivals, in turn, and says how fast; quality first.",
               "bench_scaling");
  app.footer(
      "Examples:\n  bench_scaling --generate --workers 1,2 --telemetry --ingest --pss --out records\n"
      "  bench_scaling --set imdb --data DIR --workers 1,2 --rivals all --out records");
  app.get_formatter()->column_width(36);
  app.option_defaults()->always_capture_default();
  declare_data(app, o, w);
  declare_axes(app, o, w);
  declare_runs(app, o, w);
  declare_rest(app, o, w);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& fault) {
    throw config_error(fault.what());
  }
  o.engines = all_named(w.engines, known_engines, "--engines");
  o.updates = all_named(w.updates, known_updates, "--update");
  o.sharing = all_named(w.sharing, known_sharing, "--sharing");
  o.exchange = all_named(w.exchange, known_rules, "--exchange");
  o.isa = choose_isa(named(w.isa, known_isas, "--isa"));
  if (!w.target.empty()) o.target = read_target(w.target);
  if (!o.set.empty()) apply_set(o, w.data, app);
  for (const std::string& name : o.models) make_model(name);
  drop_repeated(o.models);
  drop_repeated(o.engines);
  drop_repeated(o.workers);
  drop_repeated(o.updates);
  drop_repeated(o.sharing);
  drop_repeated(o.exchange);
  o.rivals.names = expand_rivals(o.rivals.names);
  o.scaling = !w.no_scaling;
  o.shape.seed = o.seed;
  check(o);
  return o;
}

}  // namespace hogwild::bench
