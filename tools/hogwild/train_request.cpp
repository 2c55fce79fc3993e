// SPDX-License-Identifier: Apache-2.0
#include "train_request.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>
#include <hogwild/names.hpp>
#include <hogwild/registry.hpp>

#include "compared_words.hpp"
#include "output_request.hpp"
#include "train_checks.hpp"

namespace hogwild::cli {
namespace {

/// Declares an option whose words are those of name_of().
template <class T, class Value>
void named(command_line& line, const std::string& name, Value& value, std::initializer_list<T> kinds,
           const std::string& help) {
  std::vector<std::pair<std::string_view, T>> words;
  for (const T kind : kinds) words.emplace_back(name_of(kind), kind);
  line.choice(name, value, words, help);
}

std::string add_names(const std::string& text, std::vector<std::string>& names) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) return quote(text) + " is not NAME,NAME,...";
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return {};
}

void declare_model(command_line& line, train_request& r) {
  std::vector<std::pair<std::string_view, std::string>> names;
  for (const std::string_view name : model_names()) names.emplace_back(name, std::string(name));
  line.choice("--model", r.model, names, "what is learned");
  line.flag("--bias,!--no-bias", r.options.bias, "learn a constant term, too");
  line.option("--bias-rate", "X", "",
              "step of the constant term over that of the columns, under sgd (default: the mean square of the first "
              "rows' entries)",
              [&r](const std::string& text) {
                r.options.bias_rate = to_number(text);
                return r.options.bias_rate ? std::string() : quote(text) + " is not a number";
              });
  line.option("--l2", "auto|X", "",
              "strength of l2 regularisation; auto: chosen by cross-validation (default: for linear models the mean "
              "squared norm of a row over the number of rows, for others the model's own)",
              [&r](const std::string& text) -> std::string {
                r.options.l2 = to_number(text);
                r.options.l2_by_folds.reset();
                if (text == "auto") r.options.l2_by_folds.emplace();
                return r.options.l2 || text == "auto" ? "" : quote(text) + " is neither 'auto' nor a number";
              });
  line.option("--l1", r.options.l1, "strength of l1 regularisation; --l2 is then 0 unless it is given");
  named(line, "--l2-form", r.options.form, {l2_form::by_degree, l2_form::per_occurrence, l2_form::two_pass},
        "regularise each parameter once an epoch (by_degree), or with each row that touches it (per_occurrence); "
        "two_pass: once an epoch, as the programs of the Hogwild! papers do, for linear models (default: the model's, "
        "else by_degree)");
}

std::string set_class_weights(const std::string& text, class_weights& weights) {
  weights = {.balanced = text == "balanced"};
  if (weights.balanced) return {};
  std::vector<std::string> pairs;
  const std::string fault = quote(text) + " is neither 'balanced' nor LABEL=WEIGHT,...";
  if (!add_names(text, pairs).empty()) return fault;
  for (const std::string_view pair : pairs) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto label = to_number(pair.substr(0, equals)),
               weight = to_number(pair.substr(std::min(equals + 1, pair.size())));
    if (!label || !weight) return fault;
    weights.of_labels.emplace_back(*label, *weight);
  }
  return {};
}

void declare_rest_of_model(command_line& line, train_request& r) {
  line.option("--weight-positive", r.options.weight_positive, "weight of the rows of the larger label");
  line.option("--class-weights", "balanced|LABEL=W,...", "",
              "weights of rows by their labels, 1 where a label is not named; balanced: all classes weigh the same",
              [&r](const std::string& text) { return set_class_weights(text, r.options.weights); });
  line.excludes("--class-weights", "--weight-positive");
  named(line, "--scale", r.scale,
        {column_scaling::none, column_scaling::automatic, column_scaling::max_abs, column_scaling::standard},
        "divide columns by their largest absolute value (max_abs) or their standard deviation (standard), for linear "
        "models; auto: by max_abs where single columns outweigh all others. The saved weights are those of the columns "
        "as given");
  line.option("--freeze", "GROUP,...", "", "groups of parameters that training leaves as they are",
              [&r](const std::string& text) { return add_names(text, r.options.freeze); });
  line.option("--init", r.init, "start from the parameters of this saved model; of word vectors from these vectors");
  line.option("--init-groups", "GROUP,...", "", "take these groups of parameters from --init (default: all)",
              [&r](const std::string& text) { return add_names(text, r.init_groups); });
  line.needs("--init-groups", "--init");
}

void declare_option(command_line& line, const model_option& o, model_options& given) {
  if (o.is_flag()) {
    const auto set = [&given, name = o.name](bool value) { given.set(name, value ? "true" : "false"); };
    line.flag("--" + o.name + ",!--no-" + o.name, o.help, set);
    return;
  }
  line.option("--" + o.name, o.placeholder, o.otherwise, o.help, [&given, o](const std::string& text) {
    const std::string fault = o.fault(text);
    if (fault.empty()) given.set(o.name, text);
    return fault;
  });
}

/// Declares options that only some models have. Models of a family share options.
void declare_options_of_models(command_line& line, train_request& r) {
  named(line, "--ownership", r.options.ownership,
        {ownership_kind::automatic, ownership_kind::shared, ownership_kind::blocks},
        "a worker owns the users and items of the block that it trains (blocks), or all workers share all (shared)");
  line.option("--terminals", r.files.graph.terminals,
              "fraction of the nodes of each class whose class is given, in labelled graphs (default: 0.1)");
  line.option("--terminals-seed", r.files.graph.seed, "seed of the draw of these nodes (default: 1)");
  line.option("--min-count", r.min_count, "leave out words that occur less often");
  std::set<std::string> declared;
  for (const model_descriptor* const known : known_models())
    for (const model_option& o : known->facts().options)
      if (declared.insert(o.name).second) {
        if (line.has("--" + o.name))
          throw config_error("the model " + std::string(known->name()) + " has an option --" + o.name +
                             ", which the command has already: name it otherwise in the model's numbers()");
        declare_option(line, o, r.of_model);
      }
  for (const model_descriptor* const known : known_models()) {
    std::vector<command_line::topic_option> options;
    for (const model_option& o : known->facts().options) options.push_back({"--" + o.name, o.otherwise, o.help});
    for (const std::string& name : known->facts().uses) options.push_back({"--" + name, "", line.help_of("--" + name)});
    line.topic(std::string(known->name()), known->facts().summary, options);
  }
}

std::string set_transport(const std::string& text, train_request& r) {
  r.mpi = text == "mpi";
  r.transport = text == "shared_segment" ? transport_kind::shared_segment : transport_kind::in_process;
  if (r.mpi || text == "in_process" || text == "shared_segment") return {};
  return quote(text) + " is none of in_process|shared_segment|mpi";
}

std::string set_devices(const std::string& text, train_request& r) {
  const auto unknown = [](const std::string& name) {
    return quote(name) + " is neither a device's number nor 'emulated'";
  };
  std::vector<std::string> names;
  if (!add_names(text, names).empty()) return unknown(text);
  r.devices.clear();
  for (const std::string& name : names) {
    const auto number = to_number(name);
    const bool usable = number && *number >= 0 && *number < 1024 && *number == std::floor(*number);
    if (name != "emulated" && !usable) return unknown(name);
    r.devices.push_back(usable ? static_cast<int>(*number) : emulated_device);
  }
  return {};
}

void declare_batch(command_line& line, train_request& r) {
  line.option("--batch", r.batch,
              "rows that are trained on the same weights (0: the model's own number): 1 to 16 for linear models under "
              "sgd, without direct or head sharing; 1 to 256 for models that train several rows at once");
}

void declare_sharing(command_line& line, train_options& o) {
  named(line, "--sharing", o.sharing,
        {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered, sharing_kind::head},
        "where workers read and write the parameters");
}

void declare_update(command_line& line, train_options& o) {
  named(line, "--update", o.update,
        {update_kind::lossy, update_kind::exact, update_kind::locked, update_kind::edge_locked, update_kind::ordered},
        "how a parameter is changed; edge_locked: under locks of all that an example touches; ordered: by one worker "
        "after the other, one example each");
}

void declare_engine(command_line& line, train_request& r) {
  line.group("Workers");
  line.choice<engine_name>("--engine", r.engine, {engine_names.begin(), engine_names.end()}, "who trains");
  line.option("--workers", r.workers,
              "number of workers (0: as many as the machine and its quota give; with a device none)");
  line.option(
      "--device", "NUMBER|emulated,...", "0",
      "devices of --engine cuda or ring, which train beside the --workers of the CPU; emulated: kernels run on the CPU",
      [&r](const std::string& text) { return set_devices(text, r); });
  named(line, "--device-memory", r.memory, {memory_kind::device, memory_kind::pinned, memory_kind::managed},
        "where devices of --engine cuda keep the parameters: a replica in memory of their own (device), or the run's "
        "parameters in memory that CPUs share (pinned, managed)");
  named(line, "--storage", r.storage, {storage_kind::single, storage_kind::half},
        "how replicas store factors: as 32-bit or 16-bit floats; for factorization_machine and ffm with threads or "
        "processes, for matrix_factorization on devices of --engine cuda");
  line.option("--replicas", r.replicas, "replicas of the model on the ring (0: one for each memory node)");
  named(line, "--exchange", r.exchange, {ring_rule::deltas, ring_rule::average, ring_rule::released},
        "what replicas on the ring do when they meet");
  line.option("--released-tolerance", r.released.tolerance,
              "under --exchange released: changes below this times the step stay in the replica");
  line.option("--released-rows", r.released.rows,
              "under --exchange released: rows of a worker between two exchanges (0: by a bound on gains)");
  line.flag("--released-dense", "under --exchange released: exchange all columns each time",
            [&r](bool dense) { r.released.dense = dense ? 1 : 0; });
  line.option("--transport", "in_process|shared_segment|mpi", "in_process",
              "whether workers of a ring, of all_reduce, of local_sgd or beside a device are threads or processes; "
              "mpi: threads of ranks that mpiexec or srun has started",
              [&r](const std::string& text) { return set_transport(text, r); });
  line.choice<delta_values>("--message-values", r.messages,
                            {{"float", delta_values::as_stored}, {"half", delta_values::as_half}},
                            "precision of changes in the messages of the ring between ranks");
  line.option("--rank-timeout", "SECONDS", "30", "seconds for which a rank waits for another one before the run ends",
              [&r](const std::string& text) -> std::string {
                const auto seconds = to_number(text);
                if (!seconds || *seconds < 1.0 || *seconds > 1e6)
                  return quote(text) + " is no number from 1 to 1000000";
                r.rank_timeout = std::chrono::seconds(static_cast<std::int64_t>(*seconds));
                return {};
              });
  line.option("--sync-rows", r.sync_rows,
              "rows of each worker between two meetings of all_reduce or local_sgd (default: 64 of all_reduce; 1024 of "
              "local_sgd, or an eighth of a worker's rows)");
  line.option(
      "--collective", "auto|nccl", "auto",
      "how workers of all_reduce and local_sgd meet: by --transport, or by NCCL with a CUDA device for each worker",
      [&r](const std::string& text) -> std::string {
        if (text != "auto" && text != "nccl") return quote(text) + " is neither 'auto' nor 'nccl'";
        r.nccl = text == "nccl";
        return {};
      });
  line.flag("--scale-step", r.scale_step, "all_reduce: multiply the step by the number of workers");
  declare_sharing(line, r.options);
  line.flag("--reproducible", r.options.reproducible, "the same bits in every run, for any number of workers");
  line.option("--virtual-workers", r.virtual_workers,
              "number of virtual workers of a reproducible run (0: by the data); another number gives other bits");
  line.needs("--virtual-workers", "--reproducible");
  declare_batch(line, r);
  named(line, "--isa", r.options.isa, {isa::automatic, isa::scalar, isa::avx2, isa::avx512},
        "instruction set of the parser and the kernels; for linear models all give the same bits");
  declare_update(line, r.options);
  named(line, "--order", r.options.order,
        {row_order::chunked, row_order::permuted, row_order::replacement, row_order::sequential},
        "order in which rows are visited");
  named(line, "--shards", r.options.shards, {sharding::claimed, sharding::fixed},
        "whether workers claim the next rows (claimed), or each has its own (fixed)");
  named(line, "--team", r.team, {thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std},
        "library that starts the threads");
  line.flag("--pin,!--no-pin", r.pin, "bind each process, thread of the std team and worker of a ring to a CPU");
  line.option("--segment", "NAME", r.segment,
              "threads, processes: keep the parameters in shared memory of this name, hogwild-..., from which 'predict "
              "--live' and other programs read them");
}

void declare_first_step(command_line& line, train_options& o) {
  line.option("--step", "auto|X", "auto", "initial step size; auto: found by a short search",
              [&o](const std::string& text) -> std::string {
                if (text == "auto") return o.step.initial.reset(), "";
                const auto step = to_number(text);
                if (!step || *step <= 0.0) return quote(text) + " is neither 'auto' nor a number above 0";
                o.step.initial = *step;
                return {};
              });
}

void declare_step(command_line& line, train_request& r) {
  train_options& o = r.options;
  line.group("Step");
  declare_first_step(line, o);
  line.option("--decay", "X", "",
              "how the step falls: factor of an epoch (geometric) or of an epoch without a better validation loss "
              "(plateau), slope (inverse), or the last step over the first (cosine) (default: the model's, else by "
              "--epochs where the step is found)",
              [&o](const std::string& text) -> std::string {
                const auto decay = to_number(text);
                if (!decay || *decay <= 0.0) return quote(text) + " is no number above 0";
                o.step.decay = *decay;
                return {};
              });
  named(line, "--schedule", o.step.kind,
        {schedule_kind::geometric, schedule_kind::inverse, schedule_kind::linear, schedule_kind::constant,
         schedule_kind::cosine, schedule_kind::plateau},
        "how the step falls with the epochs; plateau: after epochs without a better validation loss (default: the "
        "model's, else geometric; constant under ftrl)");
  line.option("--warm-up", o.step.warm_up, "epochs in which the step rises evenly, before the schedule begins");
  named(line, "--optimizer", o.optimizer,
        {optimizer_kind::sgd, optimizer_kind::momentum, optimizer_kind::adagrad, optimizer_kind::row_adagrad,
         optimizer_kind::adam, optimizer_kind::ftrl},
        "how a gradient is applied (default: the model's, else sgd)");
  line.option("--momentum", o.constants.momentum, "part of the last step that is kept, under --optimizer momentum");
  line.option("--beta1", o.constants.beta1, "part of its mean of gradients that adam keeps");
  line.option("--beta2", o.constants.beta2, "part of its mean of squared gradients that adam keeps");
  line.option("--ftrl-beta", o.constants.ftrl_beta,
              "what ftrl adds to the root of its sum of squares (default: 1, for entries around 1)");
  line.option("--seed", o.seed, "seed of all draws, as of the order of the rows");
}

std::string set_target(const std::string& text, train_options& o) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string::npos ? std::nullopt : to_number(std::string_view(text).substr(equals + 1));
  const std::string what = text.substr(0, std::min(equals, text.size()));
  if (!value || !target_figure::named(what))
    return quote(text) + " is not METRIC=VALUE with a metric out of " + target_figure::all_names();
  o.target = target_option{what, *value};
  return {};
}

void declare_end(command_line& line, train_request& r) {
  line.group("Stopping");
  line.option("--epochs", r.options.epochs, "passes over the training rows, unless the model has a number of its own");
  line.option("--max-seconds", "X", "",
              "end after so many seconds of this command as after the last epoch: the model is saved; seconds before "
              "--resume do not count",
              [&r](const std::string& text) {
                r.options.max_seconds = to_number(text);
                return r.options.max_seconds.value_or(0.0) > 0.0 ? "" : quote(text) + " is no number above 0";
              });
  line.option("--tolerance", r.tolerance,
              "linear models: stop once the objective is known to lie within this fraction of its optimum; others: "
              "once two epochs in a row lower it by no more than this fraction of its fall so far");
  line.option("--tolerance-epochs", r.options.tolerance_epochs,
              "stop after so many epochs in a row that gain no more than --tolerance, for every model");
  line.needs("--tolerance-epochs", "--tolerance");
  line.option("--target", "METRIC=VALUE", "", "stop once this is reached, for example test_accuracy=0.92",
              [&r](const std::string& text) { return set_target(text, r.options); });
  line.option("--validation", "FILE|FRACTION", "",
              "stop when the loss on these rows, or on this fraction of the rows, gets no better",
              [&r](const std::string& text) -> std::string {
                const auto fraction = to_number(text);
                if (fraction && (*fraction <= 0.0 || *fraction >= 1.0)) return "a fraction lies between 0 and 1";
                if (fraction) r.options.validation_fraction = *fraction;
                if (fraction) return {};
                r.validation_file = text;
                return fault_of_name(text);
              });
  line.option("--average", "FRACTION", "",
              "take the mean of the models after each of the last epochs, this fraction of all epochs",
              [&r](const std::string& text) -> std::string {
                r.options.average = to_number(text);
                return r.options.average ? "" : quote(text) + " is no number";
              });
  line.option("--patience", r.options.patience, "epochs without a better validation loss before the run stops");
  line.needs("--patience", "--validation");
}

std::string set_label_values(const std::string& text, train_request& r) {
  r.options.labels.clear();
  r.declared = {};
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string_view word = std::string_view(text).substr(first, comma - first);
    const auto label = to_number(word.substr(word.starts_with('+') && !word.starts_with("+-") ? 1 : 0));
    if (!label) return quote(text) + " is no list of numbers with commas between them";
    r.options.labels.push_back(*label);
    if (std::isfinite(*label)) r.declared.add(*label, word);
    first = comma + 1;
  }
  return {};
}

void declare_data(command_line& line, train_request& r) {
  line.group("Data");
  line.option(
      "--test", "FILE|FRACTION", "",
      "measure the model after each epoch on these rows, or on this fraction of the rows, which is not trained on",
      [&r](const std::string& text) -> std::string {
        const auto fraction = to_number(text);
        if (fraction && (*fraction <= 0.0 || *fraction >= 1.0)) return "a fraction lies between 0 and 1";
        r.test_fraction = fraction.value_or(0.0);
        r.test = fraction ? "" : text;
        return fraction ? "" : fault_of_name(text);
      });
  line.option(
      "--measure-every", r.options.measure_every,
      "epochs between two measurements, of models of --folds, too (default: 1; for graph_cut 20, or 1 where a "
      "stopping rule asks for each); not with --multiclass or --ensemble, whose models are measured after each epoch");
  line.option("--labels", r.files.labels, "labels of IDX images (default: the file beside DATA)");
  line.option("--label-values", "LABEL,...", "",
              "labels that rows may have, though not all need occur; required for a stream (default: those of the "
              "training rows)",
              [&r](const std::string& text) { return set_label_values(text, r); });
  r.rows.declare(line, "", "the training rows");
  r.test_rows.declare(line, "test-", "the rows of --test FILE");
  r.validation_rows.declare(line, "validation-", "the rows of --validation FILE");
  r.files.declare(line);
  r.files.declare_values(line);
}

void declare_stream(command_line& line, train_request& r) {
  line.group("Streams");
  line.flag("--stream", r.stream, "learn from the rows of standard input as they come, each once, until it ends");
  line.option("--save-every", r.save_every, "seconds between two writes of --save and --checkpoint");
  line.option("--epoch-rows", r.of_stream.epoch_rows, "rows that count as an epoch of the schedule of the step");
  line.needs("--save-every", "--stream");
  line.needs("--epoch-rows", "--stream");
}

}  // namespace

void declare_training(command_line& line, train_request& r) {
  line.positional("DATA", r.data,
                  "training rows; '-' is standard input; of several ranks each trains a part, or a file of its own "
                  "where the path holds %rank");
  declare_data(line, r);
  line.group("Model");
  declare_model(line, r);
  declare_rest_of_model(line, r);
  declare_engine(line, r);
  declare_step(line, r);
  declare_end(line, r);
  declare_output(line, r);
  declare_stream(line, r);
  declare_options_of_models(line, r);
}

void complete_training(const command_line& line, train_request& r) {
  if (r.batch > 0) r.options.batch = r.batch;
  if (r.virtual_workers > 0) r.options.virtual_workers = r.virtual_workers;
  if (r.tolerance != 0.0) r.options.tolerance = r.tolerance;
  r.files.isa = r.options.isa;
  if (line.given("--bias")) r.own_bias = r.options.bias;
  r.files.choose_format(r.model);
  check_options(line, r);
  r.compared = compared_words(line);
  const std::size_t epochs = model_named(r.model).epochs();
  if (epochs > 0 && !line.given("--epochs")) r.options.epochs = epochs;
}

std::optional<int> parse_train(int argc, const char* const* argv, train_request& r) {
  command_line line("train",
                    "Trains a model on LIBSVM or libffm data, ratings, images, graphs or text, plain or compressed.",
                    "hogwild train train.svm --test test.svm --model hinge_svm --epochs 10 --save model.txt");
  declare_training(line, r);
  declare_several(line, r.several);
  declare_folds(line, r.folds);
  line.show_first({"--model",         "--test",       "--validation", "--epochs",       "--max-seconds",
                   "--tolerance",     "--step",       "--optimizer",  "--l2",           "--bias",
                   "--class-weights", "--engine",     "--workers",    "--reproducible", "--seed",
                   "--save",          "--checkpoint", "--resume",     "--record",       "--json"});
  if (const auto code = line.parse(argc, argv)) return code;
  complete_training(line, r);
  complete_several(line, r);
  complete_folds(line, r);
  return std::nullopt;
}

std::optional<int> parse_advise(int argc, const char* const* argv, train_request& r) {
  command_line line("advise",
                    "Says what training DATA would take by each engine and number of workers, and what to take.",
                    "hogwild advise train.svm --model hinge_svm");
  line.positional("DATA", r.data, "training rows; '-' is standard input");
  line.option("--labels", r.files.labels, "labels of IDX images (default: the file beside DATA)");
  r.files.declare(line);
  r.files.declare_values(line);
  declare_model(line, r);
  declare_options_of_models(line, r);
  declare_first_step(line, r.options);
  declare_batch(line, r);
  line.option("--workers", r.workers, "the most that are asked about (0: as many as the machine and its quota give)");
  line.option("--cpus", r.cpus,
              "tell also of so many CPUs like these, more than there are: extrapolated, memory bandwidth left out");
  declare_sharing(line, r.options);
  declare_update(line, r.options);
  line.flag("--verify", r.verify, "train a few epochs with each, and print them beside what was predicted");
  line.flag("--json", r.json, "print one JSON object");
  line.flag("--quiet", r.files.quiet, "print nothing but errors and what --json prints");
  line.show_first({"--model", "--workers", "--verify", "--json"});
  if (const auto code = line.parse(argc, argv)) return code;
  if (r.options.l2_by_folds) throw config_error("--l2 auto is not for advice, which is about a training: leave it out");
  if (r.batch > 0) r.options.batch = r.batch;
  if (line.given("--bias")) r.own_bias = r.options.bias;
  r.files.choose_format(r.model);
  check_model(line, r);
  return std::nullopt;
}

}  // namespace hogwild::cli
