// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <iterator>

#include <hogwild/core/error.hpp>
#include <hogwild/models/registry.hpp>
#include <hogwild/names.hpp>

namespace hogwild::bench {
namespace {

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

target_option read_target(const std::string& text) {
  constexpr std::array known{metric::train_loss, metric::objective, metric::test_loss, metric::test_accuracy,
                             metric::test_auc,   metric::test_f1,   metric::test_rmse};
  const std::size_t equals = text.find('=');
  double value = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), value)) {
    throw config_error("--target: write METRIC=NUMBER, for example test_accuracy=0.9");
  }
  return {named(text.substr(0, equals), known, "--target"), value};
}

void check(const bench_options& o) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw config_error(sentence);
  };
  require(o.generated == o.train.empty(), "name a data file or say --generate, and not both");
  require(!o.generated || o.test.empty(), "--generate makes its own test rows: leave out --test");
  require(o.epochs >= 2, "--epochs: at least 2, because the first epoch of a run is not counted");
  require(o.repeats >= 1, "--repeats: at least 1");
  require(!o.decay || o.step, "--decay goes with --step: without a step both are found");
  const bool wants_test = o.target && o.target->what != metric::train_loss && o.target->what != metric::objective;
  require(!wants_test || o.generated || !o.test.empty(), "--target: a test metric needs --test");
  for (const std::size_t n : o.workers) require(n >= 1, "--workers: at least 1");
}

}  // namespace

std::string_view name_of(engine_kind kind) {
  switch (kind) {
    case engine_kind::threads:
      return "threads";
    case engine_kind::processes:
      return "processes";
    case engine_kind::serial:
      break;
  }
  return "serial";
}

std::optional<bench_options> read_options(int argc, const char* const* argv) {
  bench_options o;
  auto engines = list_of<std::string>(defaults::engines);
  auto updates = list_of<std::string>(defaults::updates);
  o.models = list_of<std::string>(defaults::models);
  o.workers = list_of<std::size_t>(defaults::workers);
  std::string target;
  bool no_scaling = false;

  CLI::App app("Trains the same data with every engine, in turn, and says how fast; quality first.", "bench_scaling");
  app.footer("Example:\n  bench_scaling --generate --workers 1,2 --telemetry --ingest --pss --out records");
  app.get_formatter()->column_width(36);
  app.option_defaults()->always_capture_default();
  app.add_option("DATA", o.train, "training rows, LIBSVM text")->type_name("");
  app.add_option("--test", o.test, "test rows, LIBSVM text")->type_name("FILE");
  app.add_flag("--generate", o.generated, "make the data: text shaped like RCV1, deleted in the end");
  app.add_option("--rows", o.shape.rows, "rows to make, a tenth of them for testing")->type_name("N");
  app.add_option("--columns", o.shape.columns, "columns to make")->type_name("N");
  app.add_option("--nonzeros", o.shape.nonzeros, "mean entries of a row to make")->type_name("X");
  app.add_option("--model", o.models, "models to train")->type_name("LIST")->delimiter(',');
  app.add_option("--engines", engines, "serial, threads, processes")->type_name("LIST")->delimiter(',');
  app.add_option("--workers", o.workers, "numbers of workers")->type_name("LIST")->delimiter(',');
  app.add_option("--update", updates, "lossy, exact, locked")->type_name("LIST")->delimiter(',');
  app.add_option("--epochs", o.epochs, "of each run; the first is not counted")->type_name("N");
  app.add_option("--repeats", o.repeats, "runs of each configuration")->type_name("N");
  app.add_option("--step", o.step, "initial step; found once for each model where not given")->type_name("X");
  app.add_option("--decay", o.decay, "factor of the step from epoch to epoch")->type_name("X");
  app.add_option("--l2", o.l2, "regularisation; 1/n where not given")->type_name("X");
  app.add_option("--tolerance", o.tolerance, "share by which an objective may miss the reference")->type_name("X");
  app.add_option("--target", target, "METRIC=VALUE: report the seconds until it is reached")->type_name("TEXT");
  app.add_option("--seed", o.seed, "of the data and of the order of rows")->type_name("N");
  app.add_flag("--oversubscribe", o.oversubscribe, "measure more workers than CPUs too");
  app.add_flag("--no-scaling", no_scaling, "leave out the table of configurations");
  app.add_flag("--telemetry", o.telemetry, "measure what telemetry costs");
  app.add_flag("--ingest", o.ingest, "measure how fast text becomes arrays, and a warm start");
  app.add_flag("--pss", o.pss, "measure the memory that several processes share");
  app.add_option("--out", o.out, "folder for the record scaling.jsonl")->type_name("DIR");
  try {
    app.parse(argc, argv);
    o.engines =
        all_named(engines, std::array{engine_kind::serial, engine_kind::threads, engine_kind::processes}, "--engines");
    o.updates = all_named(updates, std::array{update_kind::lossy, update_kind::exact, update_kind::locked}, "--update");
    if (!target.empty()) o.target = read_target(target);
    for (const std::string& name : o.models) make_model(name);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& fault) {
    throw config_error(fault.what());
  }
  o.scaling = !no_scaling;
  o.shape.seed = o.seed;
  check(o);
  return o;
}

}  // namespace hogwild::bench
