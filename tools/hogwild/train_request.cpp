// SPDX-License-Identifier: Apache-2.0
#include "train_request.hpp"

#include <algorithm>
#include <charconv>

#include <hogwild/core/error.hpp>
#include <hogwild/models/registry.hpp>
#include <hogwild/names.hpp>

namespace hogwild::cli {
namespace {

/// An option whose words are those of name_of().
template <class T, class Value>
void named(command_line& line, const std::string& name, Value& value, std::initializer_list<T> kinds,
           const std::string& help) {
  std::vector<std::pair<std::string_view, T>> words;
  for (const T kind : kinds) words.emplace_back(name_of(kind), kind);
  line.choice(name, value, words, help);
}

std::string set_hidden(const std::string& text, std::vector<std::uint32_t>& hidden) {
  hidden.clear();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::uint32_t width = 0;
    const auto [stop, fault] = std::from_chars(text.data() + at, text.data() + end, width);
    if (fault != std::errc() || stop != text.data() + end || width == 0)
      return "'" + text + "' is not WIDTH,WIDTH,... with whole numbers above 0";
    hidden.push_back(width);
    at = end + 1;
  }
  return {};
}

std::string add_names(const std::string& text, std::vector<std::string>& names) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) return "'" + text + "' is not NAME,NAME,...";
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return {};
}

std::string set_rank(const std::string& text, std::size_t& rank) {
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (fault == std::errc() && stop == text.data() + text.size() && rank > 0) return {};
  return "'" + text + "' is not a whole number above 0";
}

void declare_model(command_line& line, train_request& r) {
  std::vector<std::pair<std::string_view, std::string>> names;
  for (const std::string_view name : model_names()) names.emplace_back(name, std::string(name));
  line.choice("--model", r.model, names, "what is learned");
  line.option("--huber-delta", r.huber_delta, "where the huber loss turns from square to straight");
  line.flag("--bias,!--no-bias", r.options.bias,
            "learn a constant term too; matrix_factorization: one of each user and item, which is its default");
  line.option("--rank", "N", "matrix_factorization 32, factorization_machine 8, ffm 4",
              "factors of each user and item, of each column, of each column for each field",
              [&r](const std::string& text) { return set_rank(text, r.rank); });
  line.choice<bool>("--loss", r.squared_loss, {{"logistic", false}, {"squared", true}},
                    "of factorization_machine and ffm: logistic for two labels, squared for numbers");
  line.flag("--unit-rows,!--no-unit-rows", r.unit_rows,
            "ffm: scale each row to length one (default), or take its values as they are");
  named(line, "--ownership", r.options.ownership,
        {ownership_kind::automatic, ownership_kind::shared, ownership_kind::blocks},
        "of factors: workers own the users and items of the block that they train, or share all");
  std::vector<std::pair<std::string_view, std::string>> nets;
  for (const image_net* const net : image_nets) nets.emplace_back(net->name, std::string(net->name));
  line.choice("--net", r.net, nets,
              "of convnet: for grey images of 28 x 28, or coloured ones of 32 x 32; cifar_3x3 has two pairs of "
              "convolutions");
  line.option("--hidden", "WIDTH,...", "128", "how wide the hidden layers of mlp are, at most four",
              [&r](const std::string& text) { return set_hidden(text, r.hidden); });
  line.option("--dropout", r.dropout, "share of each hidden layer of mlp that training leaves out");
  line.option(
      "--terminals", r.files.graph.terminals,
      "of graph_cut: the share of each class's nodes that belong to their class from the start, in labelled graphs");
  line.option("--terminals-seed", r.files.graph.seed, "another seed draws other terminals");
  line.option("--l2", r.options.l2, "strength of l2 regularisation (default: 1 / training rows, or the model's)");
  named(line, "--l2-form", r.options.form, {l2_form::by_degree, l2_form::per_occurrence},
        "l2 of each parameter once an epoch, or with each row that touches it (default: as the model asks for, else "
        "by_degree)");
  line.option("--freeze", "GROUP,...", "", "groups of parameters that nothing changes",
              [&r](const std::string& text) { return add_names(text, r.options.freeze); });
  line.option("--init", r.init, "begin with the parameters of this saved model (word vectors: of these)");
  line.option("--init-groups", "GROUP,...", "", "begin with these groups of its parameters (default: with all)",
              [&r](const std::string& text) { return add_names(text, r.init_groups); });
  line.needs("--init-groups", "--init");
  line.option("--weight-positive", r.options.weight_positive, "what a row of the larger label weighs");
}

/// A graph is cut as a whole: its edges are what is measured, too, and so are the nodes that are no terminals.
void check_graph(const command_line& line, const train_request& r) {
  if (r.model != graph_cut::name) {
    for (const char* const name : {"--terminals", "--terminals-seed"})
      if (line.given(name)) throw config_error(std::string(name) + " needs --model graph_cut");
    return;
  }
  if (!(r.files.graph.terminals >= 0.0 && r.files.graph.terminals <= 1.0))
    throw config_error("--terminals is a share of the nodes, from 0 (one of each class) to 1");
  if (!r.test.empty() || r.test_share > 0.0 || !r.validation_file.empty() || r.options.validation_fraction > 0.0)
    throw config_error(
        "a graph is cut as a whole: leave out --test and --validation; what is measured are its edges and the "
        "labelled nodes that are no terminals");
  if (r.data.find("%rank") != std::string::npos)
    throw config_error("ranks that cut a graph share its nodes: give them one file, without %rank");
  if (line.given("--labels")) throw config_error("--labels is about IDX images; a graph has its labels in itself");
}

void declare_words(command_line& line, train_request& r) {
  line.option("--dimension", r.words.dimension, "skip_gram, cbow: numbers of a word's vector");
  line.option("--window", r.words.window, "skip_gram, cbow: neighbours on each side of a word, at most");
  line.option("--negative", r.words.negative, "skip_gram, cbow: words drawn at random for contrast, for each window");
  line.option("--sample", r.words.sample,
              "skip_gram, cbow: words that are a larger share of the text are thinned out; 0: none");
  line.option("--min-count", r.words.min_count, "skip_gram, cbow: words that occur less often are left out");
}

void check_words(const command_line& line, const train_request& r) {
  const bool of_words = r.model == skip_gram::name || r.model == cbow::name;
  for (const char* const name : {"--dimension", "--window", "--negative", "--sample", "--min-count"}) {
    if (!of_words && line.given(name)) throw config_error(std::string(name) + " needs --model skip_gram or cbow");
  }
  if (!of_words) return;
  if (!r.test.empty() || r.test_share > 0.0 || !r.validation_file.empty())
    throw config_error(
        "word vectors have no labels to test: measure what --save writes with 'hogwild evaluate --analogies'; a share "
        "of the text may be held back with --validation SHARE");
  if (r.overlap) throw config_error("--overlap is for linear models with one margin a row");
  if (line.given("--labels")) throw config_error("--labels is about IDX images; a corpus has none");
  for (const std::uint64_t n : {r.words.dimension, r.words.window, r.words.negative})
    if (n > 65536) throw config_error("--dimension, --window and --negative are numbers up to 65536");
}

std::string set_transport(const std::string& text, train_request& r) {
  r.mpi = text == "mpi";
  r.transport = text == "shared_segment" ? ring_transport::shared_segment : ring_transport::in_process;
  if (r.mpi || text == "in_process" || text == "shared_segment") return {};
  return "'" + text + "' is none of in_process|shared_segment|mpi";
}

void declare_engine(command_line& line, train_request& r) {
  line.choice<engine_name>("--engine", r.engine,
                           {{"threads", engine_name::threads},
                            {"processes", engine_name::processes},
                            {"ring", engine_name::ring},
                            {"all_reduce", engine_name::all_reduce},
                            {"local_sgd", engine_name::local_sgd},
                            {"serial", engine_name::serial}},
                           "who trains");
  line.option("--workers", r.workers, "how many (0: as many as the machine and its quota give)");
  line.option("--replicas", r.replicas, "of the model, on the ring (0: one for each memory node)");
  named(line, "--exchange", r.exchange, {ring_rule::deltas, ring_rule::average, ring_rule::released},
        "what replicas on the ring do when they meet");
  line.option("--transport", "in_process|shared_segment|mpi", "in_process",
              "whether workers of a ring, or in lockstep, are threads or processes; mpi: threads of ranks that MPI "
              "joins, as mpiexec and "
              "srun start them",
              [&r](const std::string& text) { return set_transport(text, r); });
  line.choice<delta_values>("--message-values", r.messages,
                            {{"float", delta_values::as_stored}, {"half", delta_values::as_half}},
                            "how precisely the ring's messages between ranks tell what changed");
  line.option("--rank-timeout", "SECONDS", "30", "how long a rank waits for another one before the run ends",
              [&r](const std::string& text) -> std::string {
                const auto seconds = to_number(text);
                if (!seconds || *seconds < 1.0 || *seconds > 1e6)
                  return "'" + text + "' is no number from 1 to 1000000";
                r.rank_timeout = std::chrono::seconds(static_cast<std::int64_t>(*seconds));
                return {};
              });
  line.option("--sync-rows", r.sync_rows, "rows of each worker after which all_reduce and local_sgd meet");
  line.flag("--scale-step", r.scale_step, "all_reduce: the step times the number of workers");
  named(line, "--sharing", r.options.sharing,
        {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered, sharing_kind::head},
        "where workers read and write");
  line.flag("--reproducible", r.options.reproducible, "the same bits in every run, for any number of workers");
  line.option("--virtual-workers", r.options.virtual_workers,
              "how many the rows are dealt to in a reproducible run (0: by the data); another number gives other bits");
  line.needs("--virtual-workers", "--reproducible");
  line.option(
      "--batch", r.options.batch,
      "so many rows see the same weights (0: as many as the model asks for); linear models: 1 to 16, under sgd, "
      "without direct or head sharing; models that train several at once: 1 to 256");
  named(line, "--isa", r.options.isa, {isa::automatic, isa::scalar, isa::avx2, isa::avx512},
        "instruction set of the parser and of the kernels; for linear models all give the same bits");
  named(line, "--update", r.options.update, {update_kind::lossy, update_kind::exact, update_kind::locked},
        "how a parameter is changed");
  named(line, "--order", r.options.order, {row_order::chunked, row_order::permuted, row_order::replacement},
        "in which order rows are visited");
  named(line, "--shards", r.options.shards, {sharding::claimed, sharding::fixed}, "who gets which rows");
  named(line, "--team", r.team, {team_kind::openmp, team_kind::tbb, team_kind::std},
        "which library starts the threads");
  line.flag("--pin,!--no-pin", r.pin,
            "bind each process, thread of the std team or worker of a ring to a CPU (default), or do not");
}

void declare_step(command_line& line, train_request& r) {
  train_options& o = r.options;
  line.option("--epochs", o.epochs, "passes over the data; of graph_cut 400, where nobody says");
  line.flag("--overlap", r.overlap,
            "train the first epoch while the text is parsed, in its order; of a linear model, with a given --step");
  line.option("--step", "auto|X", "auto", "initial step size; auto finds one by a short search",
              [&o](const std::string& text) -> std::string {
                if (text == "auto") return o.step.initial = 0.0, "";
                const auto step = to_number(text);
                if (!step || *step <= 0.0) return "'" + text + "' is neither 'auto' nor a number above 0";
                o.step.initial = *step;
                return {};
              });
  line.option("--decay", "X", "", "factor per epoch (geometric), or slope (inverse)",
              [&o](const std::string& text) -> std::string {
                const auto decay = to_number(text);
                if (!decay || *decay <= 0.0) return "'" + text + "' is no number above 0";
                o.step.decay = *decay;
                return {};
              });
  named(line, "--schedule", o.step.kind,
        {schedule_kind::geometric, schedule_kind::inverse, schedule_kind::linear, schedule_kind::constant},
        "how the step falls (default: as the model asks for, else geometric)");
  named(line, "--optimizer", o.optimizer,
        {optimizer_kind::sgd, optimizer_kind::momentum, optimizer_kind::adagrad, optimizer_kind::row_adagrad,
         optimizer_kind::adam},
        "how a gradient is applied (default: as the model asks for, else sgd)");
  line.option("--momentum", o.constants.momentum, "what is kept of the last step, under --optimizer momentum");
  line.option("--beta1", o.constants.beta1, "what adam keeps of its mean of gradients");
  line.option("--beta2", o.constants.beta2, "what adam keeps of its mean of squared gradients");
  line.option("--seed", o.seed, "another seed visits rows in another order");
}

std::string set_target(const std::string& text, train_options& o) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string::npos ? std::nullopt : to_number(std::string_view(text).substr(equals + 1));
  std::string known;
  for (const metric what : {metric::train_loss, metric::objective, metric::test_loss, metric::test_accuracy,
                            metric::test_auc, metric::test_f1, metric::test_rmse, metric::test_cut}) {
    known += (known.empty() ? "" : ", ") + std::string(name_of(what));
    if (!value || text.substr(0, equals) != name_of(what)) continue;
    o.target = target_option{what, *value};
    return {};
  }
  return "'" + text + "' is not METRIC=VALUE with a metric out of " + known;
}

void declare_end(command_line& line, train_request& r) {
  line.option("--tolerance", r.options.tolerance, "stop when two epochs lower the objective by less than this share");
  line.option("--target", "METRIC=VALUE", "", "stop when this is reached, e.g. test_accuracy=0.92",
              [&r](const std::string& text) { return set_target(text, r.options); });
  line.option("--validation", "FILE|SHARE", "",
              "stop when the loss on these rows, or this share of them, gets no better",
              [&r](const std::string& text) -> std::string {
                const auto share = to_number(text);
                if (share && (*share <= 0.0 || *share >= 1.0)) return "a share lies between 0 and 1";
                if (share)
                  r.options.validation_fraction = *share;
                else
                  r.validation_file = text;
                return {};
              });
  line.option("--patience", r.options.patience, "epochs without a better validation loss before stopping");
  line.needs("--patience", "--validation");
}

void declare_files(command_line& line, train_request& r) {
  line.option("--test", "FILE|SHARE", "",
              "measure the model on these rows after each epoch, or on this share of the rows, which is not trained on",
              [&r](const std::string& text) -> std::string {
                const auto share = to_number(text);
                if (share && (*share <= 0.0 || *share >= 1.0)) return "a share lies between 0 and 1";
                r.test_share = share.value_or(0.0);
                r.test = share ? "" : text;
                return {};
              });
  line.option("--save", r.save,
              "write the model here: text where the name ends in .txt, else binary (word vectors: binary where it ends "
              "in .bin)");
  line.option("--record", r.options.record, "write a run record here, one JSON object a line");
  line.option("--checkpoint", r.options.checkpoint, "write the state of the run here after each epoch");
  line.option("--resume", r.options.resume, "go on from this checkpoint");
  line.option("--labels", r.files.labels, "labels of IDX images (default: the file beside DATA)");
  r.files.declare(line);
  r.files.declare_values(line);
  line.flag("--json", r.json, "print the result as one JSON object");
  line.flag("--quiet", r.files.quiet, "print nothing but errors and what --json prints");
}

void check_factors(const command_line& line, const train_request& r) {
  const bool of_ratings = r.model == matrix_factorization::name;
  const bool machine = r.model == factorization_machine::name || r.model == ffm::name;
  if (line.given("--rank") && !of_ratings && !machine)
    throw config_error("--rank is about factors: it needs --model matrix_factorization, factorization_machine or ffm");
  if (line.given("--ownership") && !of_ratings)
    throw config_error("--ownership is about factors: it needs --model matrix_factorization");
  if (line.given("--loss") && !machine)
    throw config_error("--loss needs --model factorization_machine or ffm; of other models the name says it");
  if (line.given("--unit-rows") && r.model != ffm::name) throw config_error("--unit-rows needs --model ffm");
  if (line.given("--bias") && machine)
    throw config_error("a factorization machine has a bias of its own: leave out --bias, or --freeze bias at 0");
}

void check(const command_line& line, const train_request& r) {
  if (r.engine == engine_name::serial) {
    if (r.workers > 1) throw config_error("the serial engine has one worker; use --engine threads for more");
    for (const char* name : {"--team", "--pin"}) {
      if (line.given(name)) throw config_error(std::string(name) + " is about threads; the serial engine has none");
    }
  }
  const bool by_ranks =
      r.engine == engine_name::ring || r.engine == engine_name::all_reduce || r.engine == engine_name::local_sgd;
  for (const char* name : {"--transport", "--rank-timeout"}) {
    if (!by_ranks && line.given(name)) {
      throw config_error(std::string(name) +
                         " is about replicas or ranks: it needs --engine ring, all_reduce or local_sgd");
    }
  }
  if (r.mpi && r.data == "-") throw config_error("ranks cannot all read standard input; name a file");
  for (const char* name : {"--replicas", "--exchange", "--message-values"}) {
    if (r.engine != engine_name::ring && line.given(name))
      throw config_error(std::string(name) + " is about replicas on a ring: it needs --engine ring");
  }
  const bool in_lockstep = r.engine == engine_name::all_reduce || r.engine == engine_name::local_sgd;
  if (!in_lockstep && line.given("--sync-rows"))
    throw config_error("--sync-rows is about workers that meet: it needs --engine all_reduce or local_sgd");
  if (r.engine != engine_name::all_reduce && line.given("--scale-step"))
    throw config_error("--scale-step is about the step of a batch: it needs --engine all_reduce");
  if (in_lockstep && line.given("--team"))
    throw config_error("--team is about libraries that start threads; those of a synchronous engine are std threads");
  if (in_lockstep && r.overlap)
    throw config_error("--overlap trains as the text comes, which no two runs do alike: leave out --overlap");
  if (in_lockstep && line.given("--shards"))
    throw config_error("the workers of a synchronous engine keep their own rows: leave out --shards");
  if (r.engine == engine_name::ring && r.transport == ring_transport::shared_segment && line.given("--team"))
    throw config_error("--team is about threads; under --transport shared_segment the workers are processes");
  if (r.engine == engine_name::processes && line.given("--team")) {
    throw config_error("--team is about threads; the workers of --engine processes are processes");
  }
  if (line.given("--pin") && r.engine == engine_name::threads && r.team != team_kind::std) {
    throw config_error(
        "--pin and --no-pin are for worker processes, --engine ring and --team std; OpenMP is bound by OMP_PLACES and "
        "OMP_PROC_BIND, oneTBB by the system");
  }
  if (!r.init.empty() && r.overlap)
    throw config_error("--overlap begins with new parameters: leave out --init or --overlap");
  if (r.test_share + r.options.validation_fraction >= 1.0)
    throw config_error("the shares for test and validation leave no rows to train on");
  check_factors(line, r);
  // Known now: the data need not be read first.
  if ((r.model == mlp::name || r.model == convnet::name) && !has_layer_kernels())
    throw config_error("the model " + r.model + " " + layer_kernels_missing());
  for (const char* name : {"--hidden", "--dropout"}) {
    if (line.given(name) && r.model != mlp::name) throw config_error(std::string(name) + " needs --model mlp");
  }
  if (line.given("--bias") && (r.model == mlp::name || r.model == convnet::name))
    throw config_error("the layers of a net have biases of their own: leave out --bias");
  if (line.given("--net") && r.model != convnet::name) throw config_error("--net needs --model convnet");
  if (line.given("--huber-delta") && r.model != "huber") throw config_error("--huber-delta needs --model huber");
  if (line.given("--decay") && r.options.step.kind == schedule_kind::constant) {
    throw config_error("--decay has no meaning with --schedule constant");
  }
  const bool from_input_twice = r.data == "-" && (r.test == "-" || r.validation_file == "-");
  if (from_input_twice || (r.test == "-" && r.validation_file == "-")) {
    throw config_error("standard input can be read once only, but '-' is given twice");
  }
  for (const auto& [name, output] : {std::pair("--save", r.save), std::pair("--record", r.options.record),
                                     std::pair("--checkpoint", r.options.checkpoint)}) {
    keep_inputs(name, output, {r.data, r.test, r.validation_file, r.files.labels});
    if (output != r.save) keep_inputs(name, output, {r.init});  // a model may be tuned in place
  }
}

}  // namespace

std::optional<int> parse_train(int argc, const char* const* argv, train_request& r) {
  command_line line("train",
                    "Trains a model on LIBSVM or libffm data, ratings, images, graphs or text, plain or compressed.",
                    "hogwild train train.svm --test test.svm --model hinge_svm --epochs 10 --save model.txt");
  line.positional("DATA", r.data,
                  "training rows; '-' is standard input; of several ranks each trains a part, or a file of its own "
                  "where the path holds %rank");
  declare_model(line, r);
  declare_words(line, r);
  declare_engine(line, r);
  declare_step(line, r);
  declare_end(line, r);
  declare_files(line, r);
  if (const auto code = line.parse(argc, argv)) return code;
  r.files.isa = r.options.isa;
  if (line.given("--bias")) r.own_bias = r.options.bias;
  r.files.choose_format(r.model);
  check(line, r);
  check_words(line, r);
  check_graph(line, r);
  if (r.model == graph_cut::name && !line.given("--epochs")) r.options.epochs = graph_cut::epochs;
  return std::nullopt;
}

}  // namespace hogwild::cli
