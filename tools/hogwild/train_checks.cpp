// SPDX-License-Identifier: Apache-2.0
#include "train_request.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/run/rank_paths.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

namespace hogwild::cli {
namespace {

/// "adagrad, adam or ftrl".
std::string one_of(std::span<const std::string_view> names) {
  std::string list;
  for (std::size_t k = 0; k < names.size(); ++k)
    list += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + std::string(names[k]);
  return list;
}

/// "--net needs --model convnet", for options of other models.
void check_options_of_models(const command_line& line, const train_request& r) {
  std::map<std::string, std::vector<std::string_view>> owners;
  for (const model_descriptor* const known : known_models()) {
    for (const model_option& o : known->facts().options) owners["--" + o.name].push_back(known->name());
    for (const std::string& name : known->facts().uses) owners["--" + name].push_back(known->name());
  }
  for (const auto& [option, models] : owners) {
    if (!line.given(option) || std::ranges::find(models, r.model) != models.end()) continue;
    throw config_error(option + " needs --model " + one_of(models) +
                       (option == "--loss" ? "; the name of any other model decides its loss" : ""));
  }
  const model_descriptor& asked = model_named(r.model);
  if (line.given("--bias") && !asked.facts().no_bias.empty()) throw config_error(asked.facts().no_bias);
  for (const model_option& o : asked.facts().options) {
    const auto given = r.of_model.all().find(o.name);
    if (given == r.of_model.all().end() || o.is_flag()) continue;
    if (const std::string fault = o.fault(given->second); !fault.empty())
      throw config_error("--" + o.name + ": " + fault);
  }
  asked.check(r.of_model);
}

/// "--momentum needs --optimizer momentum", for constants of other optimisers.
void check_constants(const command_line& line, const train_request& r) {
  using enum constants_of_optimizer;
  constexpr std::pair<const char*, constants_of_optimizer> constants[] = {
      {"--momentum", momentum}, {"--ftrl-beta", ftrl}, {"--beta1", moments}, {"--beta2", moments}};
  const optimizer_kind asked = r.options.optimizer.value_or(model_named(r.model).defaults().optimizer);
  for (const auto& [word, kind] : constants) {
    if (!line.given(word) || has_constants(asked, kind)) continue;
    std::vector<std::string_view> owners;
    for (const optimizer_facts& o : optimizers)
      if (o.has == kind) owners.push_back(o.name);
    throw config_error(word + (" needs --optimizer " + one_of(owners)));
  }
}

/// Options that are refused, and what their user is told.
struct refused_request {
  std::string_view words;  ///< the given ones are refused, and begin the sentence; empty: no option is named
  bool (*refuses)(const train_request&);
  std::string_view why;
};

bool is_format_of_streams(const std::string& format) {
  constexpr std::string_view formats[] = {"auto", "libsvm", "csv", "tsv", "labelled_text", "vw"};
  return std::ranges::find(formats, format) != std::end(formats);
}

bool is_on(const train_request& r, model_input input) {
  return input_of(r.model) == input;
}

bool is_by(const train_request& r, auto... engines) {
  return ((r.engine == engines) || ...);
}

bool meets(const train_request& r) {
  return is_by(r, engine_name::all_reduce, engine_name::local_sgd);
}

bool is_by_ranks(const train_request& r) {
  return meets(r) || r.engine == engine_name::ring;
}

bool has_test(const train_request& r) {
  return !r.test.empty() || r.test_fraction > 0.0 || r.test_last + r.validation_last > 0 || !r.validation_file.empty();
}

bool reads_no_rows(const train_request& r) {
  return is_on(r, model_input::graph) || is_on(r, model_input::corpus) || is_on(r, model_input::edges);
}

/// About the model and its input, for advice, too.
constexpr refused_request refusals_of_models[] = {
    {"", [](auto& r) { return r.test_last + r.validation_last > 0 && !is_on(r, model_input::pairs); },
     "last:N holds back the last pairs of each user, and this model is not trained on pairs: give a file or a "
     "fraction"},
    {"",
     [](auto& r) {
       return !r.known.empty() && (!is_on(r, model_input::triples) || (r.test.empty() && r.validation_file.empty()));
     },
     "--known is for triples that are measured: it needs a model of triples, and --test FILE or --validation FILE"},
    {"", [](auto& r) { return model_named(r.model).facts().documents && has_test(r); },
     "a document that is held back has no vector to be measured: leave out --test and --validation; 'hogwild predict' "
     "gives vectors to other documents"},
    {"", [](auto& r) { return is_on(r, model_input::corpus) && has_test(r); },
     "word vectors have no labels to test: measure what --save writes with 'hogwild evaluate --analogies'; a fraction "
     "of the text may be held back with --validation FRACTION"},
    {"", [](auto& r) { return model_named(r.model).facts().documents && r.options.validation_fraction > 0.0; },
     "a document that is held back has no vector to be measured: leave out --validation"},
    {"--window --init",
     [](auto& r) {
       return model_named(r.model).facts().documents && !r.of_model.flag("dm", false) &&
              !r.of_model.flag("train-words", false);
     },
     " is for the vectors of words, and without --dm and --train-words they have none: leave it out"},
    {"",
     [](auto& r) {
       return is_on(r, model_input::corpus) && model_named(r.model).facts().cooccurrences &&
              std::filesystem::path(r.save).extension() == ".model";
     },
     "NAME.model keeps both vectors of a word for measuring them on text, and a vector of glove is the sum of both: "
     "give --save NAME.vec, or NAME.bin"},
    {"--labels", [](auto& r) { return is_on(r, model_input::corpus); },
     " is for IDX images and Matrix Market files, and this model reads text: leave it out"},
    {"", [](auto& r) { return is_on(r, model_input::edges) && (has_test(r) || r.options.validation_fraction > 0.0); },
     "nodes are learned from a graph as a whole, and have no labels to test: leave out --test and --validation"},
    {"", [](auto& r) { return is_on(r, model_input::edges) && std::filesystem::path(r.save).extension() == ".model"; },
     "NAME.model keeps both vectors of a word for measuring them on text, and vectors of nodes are measured by what is "
     "learned from them: give --save NAME.vec, or NAME.bin"},
    {"--epochs", [](auto& r) { return r.walks > 0; },
     " and --walks are the same: an epoch makes a walk from each node; leave one of them out"},
    {"--l2", [](auto& r) { return is_on(r, model_input::edges); },
     " is for models of rows, and vectors of nodes have none: leave it out"},
    {"--labels", [](auto& r) { return is_on(r, model_input::edges); },
     " is for IDX images and Matrix Market files, and this model reads a graph: leave it out"},
    // Training edges are also the measured ones, and so are the nodes that are no terminals.
    {"",
     [](auto& r) {
       const double fraction = r.files.graph.terminals.value_or(graph_options::usual_terminals);
       return is_on(r, model_input::graph) && !(fraction >= 0.0 && fraction <= 1.0);
     },
     "--terminals is a fraction of the nodes, from 0 (one of each class) to 1"},
    {"", [](auto& r) { return is_on(r, model_input::graph) && (has_test(r) || r.options.validation_fraction > 0.0); },
     "a graph is cut as a whole, and measured on its edges and on labelled nodes that are no terminals: leave out "
     "--test and --validation"},
    {"", [](auto& r) { return is_on(r, model_input::graph) && names_rank(r.data); },
     "ranks that cut a graph share its nodes: give them one file, without %rank"},
    {"--labels", [](auto& r) { return is_on(r, model_input::graph); },
     " is for IDX images and Matrix Market files, and this model reads a graph: leave it out"},
    {"--batch", [](auto& r) { return is_on(r, model_input::graph); },
     ": a graph is trained one edge at a time: leave it out"},
};

constexpr refused_request refusals_of_training[] = {
    {"", [](auto& r) { return r.stream && r.data != "-"; }, "--stream reads standard input: give '-' as DATA"},
    {"", [](auto& r) { return r.stream && !is_on(r, model_input::rows); },
     "--stream reads rows of features, which this model does not read: leave it out"},
    {"--index-base", [](auto& r) { return r.stream; }, ": indices of a stream count from 1: leave it out"},
    {"", [](auto& r) { return r.stream && !is_format_of_streams(r.files.format); },
     "--stream reads LIBSVM text, tables, labelled text and text of Vowpal Wabbit: give such a --format"},
    {"", [](auto& r) { return r.stream && !is_by(r, engine_name::threads, engine_name::serial); },
     "a stream is trained by the serial engine or by threads: choose one of them"},
    {"--team", [](auto& r) { return r.stream && thread_team_of_stream(r.team) != r.team; },
     ": OpenMP's threads spin while they wait for rows, and take CPU time from the threads that read them: use std or "
     "tbb with --stream, or leave it out"},
    {"--test --validation --calibrate --epochs --init-groups --weights --offsets --memory --segment --record "
     "--reproducible "
     "--checkpoint-every",
     [](auto& r) { return r.stream; }, " is not for a stream: leave it out"},

    {"", [](auto& r) { return r.engine == engine_name::serial && r.workers > 1; },
     "the serial engine has one worker; use --engine threads for more"},
    {"--team --pin", [](auto& r) { return r.engine == engine_name::serial; },
     " is for engines with threads, and the serial engine has none: leave it out"},
    {"--device", [](auto& r) { return !is_by(r, engine_name::cuda, engine_name::ring); },
     " says which device trains: it needs --engine cuda or ring"},
    {"--device-memory", [](auto& r) { return r.engine != engine_name::cuda; },
     " says where a device keeps its parameters: it needs --engine cuda"},
    {"--storage", [](auto& r) { return !is_by(r, engine_name::cuda, engine_name::threads, engine_name::processes); },
     " says how replicas store factors: it needs --engine threads, processes or cuda"},
    {"", [](auto& r) { return r.engine == engine_name::cuda && r.mpi; },
     "workers beside a device are threads or processes of one machine: leave out --transport mpi, or use --engine "
     "ring"},
    {"--team", [](auto& r) { return r.engine == engine_name::cuda || !r.devices.empty(); },
     " chooses the library that starts threads, and beside a device it is always std: leave it out"},
    {"--transport",
     [](auto& r) {
       const bool divides_runs = r.mpi && (r.searches || r.several.any());
       return !is_by_ranks(r) && r.engine != engine_name::cuda && !divides_runs;
     },
     " is for replicas or ranks, or workers beside a device: it needs --engine ring, all_reduce, local_sgd or cuda"},
    {"--rank-timeout", [](auto& r) { return !is_by_ranks(r) && !r.searches && !r.several.any(); },
     " is for replicas or ranks: it needs --engine ring, all_reduce or local_sgd"},
    {"", [](auto& r) { return r.mpi && r.data == "-"; }, "ranks cannot all read standard input; name a file"},
    {"--replicas --exchange --message-values", [](auto& r) { return r.engine != engine_name::ring; },
     " is for replicas on a ring: it needs --engine ring"},
    {"--released-tolerance --released-rows --released-dense",
     [](auto& r) { return r.engine != engine_name::ring || r.exchange != ring_rule::released; },
     " is for one rule of the ring: it needs --engine ring --exchange released"},
    {"--sync-rows --collective", [](auto& r) { return !meets(r); },
     " is for synchronous engines: it needs --engine all_reduce or local_sgd"},
    {"--scale-step", [](auto& r) { return r.engine != engine_name::all_reduce; },
     " is for the common step of all workers: it needs --engine all_reduce"},
    {"--team", [](auto& r) { return meets(r); },
     " chooses the library that starts threads, and in a synchronous engine it is always std: leave it out"},
    {"--shards", [](auto& r) { return meets(r); },
     ": the workers of a synchronous engine keep their own rows: leave out --shards"},
    {"--team",
     [](auto& r) {
       return r.engine == engine_name::processes ||
              (r.engine == engine_name::ring && r.transport == transport_kind::shared_segment);
     },
     " is for threads, and under --engine processes and --transport shared_segment the workers are processes: leave it "
     "out"},
    {"--segment", [](auto& r) { return !is_by(r, engine_name::threads, engine_name::processes); },
     " names parameters that are read while workers change them: it needs --engine threads or processes"},
    {"--pin", [](auto& r) { return r.engine == engine_name::threads && r.team != thread_team_kind::std; },
     " and --no-pin are for worker processes, --engine ring and --team std; OpenMP is bound by OMP_PLACES and "
     "OMP_PROC_BIND, oneTBB by the system"},
    {"", [](auto& r) { return r.test_fraction + r.options.validation_fraction >= 1.0; },
     "the fractions for test and validation leave no rows to train on"},
    {"--bias-rate",
     [](auto& r) { return !r.options.bias && !r.searches && !model_named(r.model).facts().bias_of_its_own; },
     " is the step of a bias: give --bias as well, or leave it out"},
    {"--decay", [](auto& r) { return r.options.step.kind == schedule_kind::constant; },
     " has no meaning with --schedule constant"},

    {"--calibrate",
     [](auto& r) {
       return r.calibrate != calibration_kind::none && r.validation_file.empty() &&
              r.options.validation_fraction == 0.0;
     },
     " fits probabilities to rows that are not trained on: give --validation FILE or --validation FRACTION as well"},
    {"--weights --offsets", reads_no_rows, " is for rows, and this model reads none: leave it out"},
    {"--test-weights --test-offsets", [](auto& r) { return r.test.empty(); },
     " is for the rows of a file: it needs --test FILE"},
    {"--validation-weights --validation-offsets", [](auto& r) { return r.validation_file.empty(); },
     " is for the rows of a file: it needs --validation FILE"},

    // Columns are divided for one run, whose parameters are converted to those of the data at its end.
    {"",
     [](auto& r) {
       return r.scale != column_scaling::none && (r.several.any() || r.folds.any() || r.options.l2_by_folds ||
                                                  r.searches || r.stream || !r.segment.empty());
     },
     "--scale does not go with --multiclass, --ensemble, --folds, --path, --l2 auto, a search, --stream or --segment: "
     "leave it out, or scale the columns in the data"},

    {"--save-state", [](auto& r) { return r.scale != column_scaling::none; },
     " keeps sums of gradients, which --scale divides, in each run by other numbers: leave out one of the two"},
    {"--save-state", reads_no_rows, " is for models of rows, and this model reads none: leave it out"},

    {"--ensemble-by --combine", [](auto& r) { return r.several.averages; },
     " is fixed by --ensemble mean-weights: leave it out"},
    {"--multiclass --ensemble",
     [](auto& r) { return r.several.any() && (r.engine == engine_name::cuda || !r.devices.empty()); },
     " trains on CPUs: leave out --device, and use another engine than cuda"},
    {"--stream --init --save-state --segment --freeze --storage", [](auto& r) { return r.several.any(); },
     " does not go with --multiclass or --ensemble: leave it out"},
    {"--weight-positive", [](auto& r) { return r.several.one_vs_rest; },
     " is for two labels: with --multiclass use --class-weights"},
};

/// About --folds, --path and --l2 auto, if one of them is given, which stands for the % of a sentence.
constexpr refused_request refusals_of_folds[] = {
    {"", [](auto& r) { return r.stream; },
     "% trains on the same rows several times, and a stream has each row once: leave it out"},
    {"", [](auto& r) { return r.several.any(); }, "% is for one model: leave out --multiclass and --ensemble"},
    {"", [](auto& r) { return is_on(r, model_input::graph) || is_on(r, model_input::edges); },
     "% is for models of rows, and this model is trained on a graph as a whole: leave it out"},
    {"", [](auto& r) { return is_on(r, model_input::corpus); },
     "% is for models of rows with labels, and this model is trained on words, which have no labels: leave it out"},
    {"--max-seconds", [](auto&) { return true; }, " is for one run, and % trains several: leave out one of the two"},
    {"",
     [](auto& r) { return (r.folds.folds || r.options.l2_by_folds) && r.options.step.kind == schedule_kind::plateau; },
     "--schedule plateau needs validation rows, and models of folds have none: use another schedule"},
    {"--l2 --record --checkpoint --resume --save-state --segment", [](auto& r) { return !r.folds.path_text.empty(); },
     " is for one run, and --path trains one for each l2: leave out one of the two"},
};

/// Throws the reason of the first row that refuses the request; `asked` stands for the % in it.
void go_by(std::span<const refused_request> rows, const command_line& line, const train_request& r,
           const std::string& asked = {}) {
  for (const refused_request& row : rows) {
    if (!row.refuses(r)) continue;
    std::string why(row.why);
    if (const std::size_t at = why.find('%'); !asked.empty() && at != std::string::npos) why.replace(at, 1, asked);
    if (row.words.empty()) throw config_error(why);
    std::istringstream words{std::string(row.words)};
    for (std::string word; words >> word;)
      if (line.given(word)) throw config_error(word + why);
  }
}

void check_files(const train_request& r) {
  const std::initializer_list<std::string> inputs = {r.data,
                                                     r.test,
                                                     r.validation_file,
                                                     r.known,
                                                     r.files.user_features,
                                                     r.files.item_features,
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
  go_by(refusals_of_models, line, r);
}

void check_folds(const command_line& line, const train_request& r) {
  go_by(refusals_of_folds, line, r,
        !r.folds.path_text.empty() ? "--path"
        : r.options.l2_by_folds    ? "--l2 auto"
                                   : "--folds");
}

void check_options(const command_line& line, const train_request& r) {
  go_by(refusals_of_training, line, r);
  check_constants(line, r);
  check_files(r);
  check_model(line, r);
}

}  // namespace hogwild::cli
