// SPDX-License-Identifier: Apache-2.0
#include "train_request.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

namespace hogwild::cli {
namespace {

/// "--net needs --model convnet", for options of other models.
void check_options_of_models(const command_line& line, const train_request& r) {
  std::map<std::string, std::vector<std::string_view>> owners;
  for (const model_descriptor* const known : known_models()) {
    for (const model_option& o : known->facts().options) owners["--" + o.name].push_back(known->name());
    for (const std::string& name : known->facts().uses) owners["--" + name].push_back(known->name());
  }
  for (const auto& [option, models] : owners) {
    if (!line.given(option) || std::ranges::find(models, r.model) != models.end()) continue;
    std::string list;
    for (std::size_t k = 0; k < models.size(); ++k)
      list += (k == 0 ? "" : k + 1 == models.size() ? " or " : ", ") + std::string(models[k]);
    throw config_error(option + (option == "--ownership" ? " is about factors: it" : "") + " needs --model " + list +
                       (option == "--loss" ? "; of other models the name says it" : ""));
  }
  const model_descriptor& asked = model_named(r.model);
  if (line.given("--bias") && !asked.facts().no_bias.empty()) throw config_error(asked.facts().no_bias);
  asked.check(r.of_model);
}

/// A graph is cut as a whole: training edges are also the measured ones, and so are the nodes that are no terminals.
void check_graph(const command_line& line, const train_request& r) {
  if (input_of(r.model) != model_input::graph) return;
  const double fraction = r.files.graph.terminals.value_or(graph_options::usual_terminals);
  if (!(fraction >= 0.0 && fraction <= 1.0))
    throw config_error("--terminals is a fraction of the nodes, from 0 (one of each class) to 1");
  if (!r.test.empty() || r.test_fraction > 0.0 || !r.validation_file.empty() || r.options.validation_fraction > 0.0)
    throw config_error(
        "a graph is cut as a whole: leave out --test and --validation; what is measured are its edges and the "
        "labelled nodes that are no terminals");
  if (names_rank(r.data))
    throw config_error("ranks that cut a graph share its nodes: give them one file, without %rank");
  if (line.given("--labels")) throw config_error("--labels is about IDX images; a graph has its labels in itself");
  if (line.given("--batch"))
    throw config_error("a graph is cut edge by edge, each by what became of the last one: leave out --batch");
}

void check_words(const command_line& line, const train_request& r) {
  if (input_of(r.model) != model_input::corpus) return;
  if (!r.test.empty() || r.test_fraction > 0.0 || !r.validation_file.empty())
    throw config_error(
        "word vectors have no labels to test: measure what --save writes with 'hogwild evaluate --analogies'; a "
        "fraction of the text may be held back with --validation FRACTION");
  if (line.given("--labels")) throw config_error("--labels is about IDX images; a corpus has none");
}

/// Columns are divided for one run, whose parameters are converted to those of the data at its end.
void check_scale(const train_request& r) {
  if (r.scale == column_scaling::none) return;
  const auto refuse = [](bool asked, const std::string& what) {
    if (asked)
      throw config_error(
          "--scale is for one linear model that is trained on rows that are all there: leave it out with " + what +
          ", or scale the columns in the data");
  };
  refuse(r.several.any(), "several models that make one");
  refuse(r.folds.any() || r.options.l2_by_folds.has_value(), "--folds, --path and --l2 auto");
  refuse(r.searches, "a search");
  refuse(r.stream, "--stream");
  refuse(!r.segment.empty(), "--segment, where others read what is trained");
}

/// Files with numbers for rows need the rows themselves.
void check_row_files(const train_request& r) {
  const model_input input = input_of(r.model);
  if (r.rows.any() && (input == model_input::graph || input == model_input::corpus))
    throw config_error("--weights and --offsets are about rows, and a " + r.model + " model reads none");
  if (r.test_rows.any() && r.test.empty())
    throw config_error("--test-weights and --test-offsets are about the rows of a file: they need --test FILE");
  if (r.validation_rows.any() && r.validation_file.empty())
    throw config_error(
        "--validation-weights and --validation-offsets are about the rows of a file: they need --validation FILE");
}

/// Constants of an optimiser require that optimiser.
void check_constants(const command_line& line, const train_request& r) {
  const optimizer_kind kind = r.options.optimizer.value_or(model_named(r.model).defaults().optimizer);
  if (line.given("--momentum") && kind != optimizer_kind::momentum)
    throw config_error("--momentum needs --optimizer momentum");
  if (line.given("--ftrl-beta") && kind != optimizer_kind::ftrl)
    throw config_error("--ftrl-beta needs --optimizer ftrl");
  for (const char* const name : {"--beta1", "--beta2"})
    if (line.given(name) && kind != optimizer_kind::adam)
      throw config_error(std::string(name) + " needs --optimizer adam");
}

void check_engine_and_files(const command_line& line, const train_request& r) {
  if (r.engine == engine_name::serial) {
    if (r.workers > 1) throw config_error("the serial engine has one worker; use --engine threads for more");
    for (const char* name : {"--team", "--pin"}) {
      if (line.given(name)) throw config_error(std::string(name) + " is about threads; the serial engine has none");
    }
  }
  const bool by_ranks =
      r.engine == engine_name::ring || r.engine == engine_name::all_reduce || r.engine == engine_name::local_sgd;
  const bool by_device = r.engine == engine_name::cuda;
  if (line.given("--device") && !by_device && r.engine != engine_name::ring)
    throw config_error("--device says which device trains: it needs --engine cuda or ring");
  if (line.given("--device-memory") && !by_device)
    throw config_error("--device-memory says where a device keeps what it trains: it needs --engine cuda");
  if (line.given("--storage") && !by_device && r.engine != engine_name::threads && r.engine != engine_name::processes)
    throw config_error(
        "--storage says how the replica of a worker or a device stores the factors that it trains: it needs --engine "
        "threads, processes or cuda");
  if (by_device && r.mpi)
    throw config_error(
        "workers beside a device are threads or processes of one machine: leave out --transport mpi, or "
        "take --engine ring");
  if ((by_device || line.given("--device")) && line.given("--team"))
    throw config_error("--team is about libraries that start threads; those beside a device are std threads");
  for (const char* name : {"--transport", "--rank-timeout"}) {
    const bool has_processes = by_device && std::string_view(name) == "--transport";
    const bool divides_runs = (r.searches || r.several.any()) && (r.mpi || std::string_view(name) == "--rank-timeout");
    if (!by_ranks && !has_processes && !divides_runs && line.given(name)) {
      throw config_error(std::string(name) +
                         " is about replicas or ranks: it needs --engine ring, all_reduce or local_sgd");
    }
  }
  if (r.mpi && r.data == "-") throw config_error("ranks cannot all read standard input; name a file");
  for (const char* name : {"--replicas", "--exchange", "--message-values"}) {
    if (r.engine != engine_name::ring && line.given(name))
      throw config_error(std::string(name) + " is about replicas on a ring: it needs --engine ring");
  }
  for (const char* name : {"--released-tolerance", "--released-rows", "--released-dense"}) {
    if ((r.engine != engine_name::ring || r.exchange != ring_rule::released) && line.given(name))
      throw config_error(std::string(name) +
                         " is about a rule of the ring: it needs --engine ring --exchange released");
  }
  const bool in_lockstep = r.engine == engine_name::all_reduce || r.engine == engine_name::local_sgd;
  if (!in_lockstep && line.given("--sync-rows"))
    throw config_error("--sync-rows is about workers that meet: it needs --engine all_reduce or local_sgd");
  if (!in_lockstep && line.given("--collective"))
    throw config_error("--collective is about workers that meet: it needs --engine all_reduce or local_sgd");
  if (r.engine != engine_name::all_reduce && line.given("--scale-step"))
    throw config_error("--scale-step is about the step of a batch: it needs --engine all_reduce");
  if (in_lockstep && line.given("--team"))
    throw config_error("--team is about libraries that start threads; those of a synchronous engine are std threads");
  if (in_lockstep && line.given("--shards"))
    throw config_error("the workers of a synchronous engine keep their own rows: leave out --shards");
  if (r.engine == engine_name::ring && r.transport == transport_kind::shared_segment && line.given("--team"))
    throw config_error("--team is about threads; under --transport shared_segment the workers are processes");
  if (r.engine == engine_name::processes && line.given("--team")) {
    throw config_error("--team is about threads; the workers of --engine processes are processes");
  }
  if (line.given("--segment") && r.engine != engine_name::threads && r.engine != engine_name::processes)
    throw config_error(
        "--segment names parameters that are read while workers change them: it needs --engine threads or processes");
  if (line.given("--pin") && r.engine == engine_name::threads && r.team != thread_team_kind::std) {
    throw config_error(
        "--pin and --no-pin are for worker processes, --engine ring and --team std; OpenMP is bound by OMP_PLACES and "
        "OMP_PROC_BIND, oneTBB by the system");
  }
  if (r.test_fraction + r.options.validation_fraction >= 1.0)
    throw config_error("the fractions for test and validation leave no rows to train on");
  if (line.given("--decay") && r.options.step.kind == schedule_kind::constant) {
    throw config_error("--decay has no meaning with --schedule constant");
  }
  const std::initializer_list<std::string> inputs = {r.data,
                                                     r.test,
                                                     r.validation_file,
                                                     r.rows.weights,
                                                     r.rows.offsets,
                                                     r.test_rows.weights,
                                                     r.test_rows.offsets,
                                                     r.validation_rows.weights,
                                                     r.validation_rows.offsets,
                                                     r.files.labels};
  if (std::ranges::count(inputs, "-") > 1)
    throw config_error("standard input can be read once only, but '-' is given twice");
  for (const auto& [name, output] : {std::pair("--save", r.save), std::pair("--record", r.options.record),
                                     std::pair("--checkpoint", r.options.checkpoint)}) {
    refuse_overwrite(name, output, inputs);
    if (output != r.save) refuse_overwrite(name, output, {r.init});  // a model may be tuned in place
  }
}

}  // namespace

void check_model(const command_line& line, const train_request& r) {
  check_options_of_models(line, r);
  check_words(line, r);
  check_graph(line, r);
}

/// Checks of a stream, besides its own checks of options that it cannot use.
void check_stream(const command_line& line, const train_request& r) {
  if (!r.stream) return;
  if (r.data != "-") throw config_error("--stream reads standard input: name '-' in the place of DATA");
  if (input_of(r.model) != model_input::rows || line.given("--format"))
    throw config_error("--stream reads LIBSVM text, which is not what a " + r.model + " model takes");
  if (r.engine != engine_name::threads && r.engine != engine_name::serial)
    throw config_error("a stream is trained by the serial engine or by threads: choose one of them");
  if (line.given("--team") && thread_team_of_stream(r.team) != r.team)
    throw config_error(
        "OpenMP's threads spin while they wait for rows, and take the CPU from those that read them: use --team std or "
        "tbb with --stream, or leave it out");
  for (const char* const name : {"--test", "--validation", "--epochs", "--init", "--weights", "--offsets", "--memory",
                                 "--segment", "--record", "--reproducible", "--checkpoint-every"})
    if (line.given(name)) throw config_error(std::string(name) + " is not for a stream: leave it out");
}

void check_options(const command_line& line, const train_request& r) {
  check_stream(line, r);
  check_engine_and_files(line, r);
  check_constants(line, r);
  check_row_files(r);
  check_scale(r);
  check_model(line, r);
}

}  // namespace hogwild::cli
