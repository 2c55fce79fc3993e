// SPDX-License-Identifier: Apache-2.0
#include "search_request.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "text_values.hpp"
#include "train_words.hpp"

namespace hogwild::cli {
namespace {

using detail::in_a_search;

void refuse_options(const command_line& line, const train_request& r) {
  for (const auto& [name, text] : line.given_texts()) {
    if (facts_of(name).search == in_a_search::refused)
      throw config_error(name +
                         " is not for a search, which decides how long each trial is trained, and measures by "
                         "--validation or --folds: leave it out");
  }
  if (r.options.l2_by_folds)
    throw config_error("--l2 auto is a search of its own: name l2 in a --space, and give --folds to measure by folds");
  const model_input input = input_of(r.model);
  if (input == model_input::graph || input == model_input::edges || input == model_input::corpus)
    throw config_error("a search measures rows that are held back, and a " + r.model + " model is trained on " +
                       (input == model_input::corpus ? "words, which have no labels" : "a graph as a whole"));
  if (r.options.step.kind == schedule_kind::plateau)
    throw config_error(
        "--schedule plateau needs validation rows, which the trials of a search do not see: use another schedule");
}

void declare_search(command_line& line, search_request& r) {
  line.group("Search");
  line.options("--space", "OPTION=VALUES", r.spaces,
               "values to try for an option of train: a,b,c or low:high or log:low:high, followed by :POINTS for a "
               "grid; once for each option");
  line.choice<strategy_kind>("--strategy", r.options.strategy,
                             {{"grid", strategy_kind::grid},
                              {"random", strategy_kind::random},
                              {"halving", strategy_kind::halving},
                              {"hyperband", strategy_kind::hyperband}},
                             "how configurations are chosen, and which are trained further");
  declare_value(line, facts_of("--configurations"), r.configurations);
  declare_value(line, facts_of("--eta"), r.eta);
  line.option("--folds", r.folds, "measure by cross-validation over N folds instead of --validation");
  line.excludes("--folds", "--validation");
  std::vector<std::pair<std::string_view, const search_metric*>> names;
  for (const search_metric& m : search_metrics()) names.emplace_back(m.name, &m);
  line.choice("--metric", r.metric, names, "measure by which trials are compared");
  line.option("--journal", "FILE", r.options.journal, "keep results here, and continue from results that are there");
  for (const std::string_view word : words_of_searches(in_a_search::refused)) line.hide(std::string(word));
  line.describe("DATA", "training rows; '-' is standard input");
  line.describe("--validation",
                "measure on these rows, or on this fraction of the training rows (default: 0.2), as --validation of "
                "train holds them back");
  line.describe("--epochs", "epochs of a trial that is trained to its end");
  line.describe("--workers",
                "trials trained at the same time, one worker each (0: as many as the machine and its quota give); with "
                "--engine: workers of each trial; for each rank");
  line.describe("--engine", "who trains a trial (default: one worker for each)");
  line.describe("--transport",
                "as for train; mpi: trials are divided among the ranks that mpiexec or srun has started");
  line.describe("--seed", "seed of the draws of configurations and of rows that are held back");
  line.describe("--save", "train the best configuration on all rows, and write the model here");
  line.describe("--record", "write what --json prints here");
}

void check_search(const command_line& line, search_request& r) {
  const strategy_kind kind = r.options.strategy;
  const bool draws = kind == strategy_kind::random || kind == strategy_kind::halving;
  const bool halves = kind == strategy_kind::halving || kind == strategy_kind::hyperband;
  if (r.configurations && !draws)
    throw config_error("--configurations is for --strategy random and halving; " + std::string(name_of(kind)) +
                       " determines their number: leave it out");
  if (r.eta && !halves) throw config_error("--eta is for --strategy halving and hyperband");
  r.options.trials = r.configurations.value_or(32);
  r.options.eta = r.eta.value_or(3);
  r.options.epochs = r.base.options.epochs;
  r.options.seed = r.base.options.seed;
  check_number_of_folds(r.folds);
  if (!r.folds && !line.given("--validation")) r.base.options.validation_fraction = 0.2;
  refuse_overwrite("--journal", r.options.journal,
                   {r.base.data, r.base.validation_file, r.base.rows.weights, r.base.rows.offsets, r.base.init});
}

/// Quotes the text if necessary, so that a shell reads it as one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "_./=,:+@%-";
  const auto is_plain = [&](unsigned char c) {
    return std::isalnum(c) != 0 || plain.find(static_cast<char>(c)) != plain.npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::optional<int> parse_search(int argc, const char* const* argv, search_request& r) {
  command_line line("search",
                    "Searches for the options by which a model learns best, on rows that it is not trained on.",
                    "hogwild search train.svm --model logistic --space l2=log:1e-8:1e-2 --space step=log:0.01:10 "
                    "--strategy hyperband --epochs 27 --save model.txt\n"
                    "All options of 'hogwild train' that are given hold for every configuration.");
  declare_training(line, r.base);
  declare_search(line, r);
  line.show_first({"--model", "--space", "--strategy", "--configurations", "--validation", "--folds", "--metric",
                   "--epochs", "--workers", "--journal", "--seed", "--save", "--json"});
  if (const auto code = line.parse(argc, argv)) return code;
  const bool own_engine = line.given("--engine");
  if (!own_engine) {
    // The workers then belong to the search: each trains a trial by itself.
    r.side_by_side = r.base.workers;
    r.base.workers = 0;
    r.base.engine = engine_name::serial;
    r.words.emplace_back("--engine=serial");
  }
  for (const std::string& text : r.spaces) {
    // The model decides which data are read; if there are several, the first one.
    const std::string first = text.substr(0, text.find(','));
    if (first.starts_with("model=") && find_model(first.substr(6)) != nullptr) r.base.model = first.substr(6);
  }
  refuse_options(line, r.base);
  r.base.searches = true;
  complete_training(line, r.base);
  check_search(line, r);
  for (const auto& [name, text] : line.given_texts()) {
    if (facts_of(name).search == in_a_search::not_trials || (!own_engine && name == "--workers") ||
        (r.base.mpi && name == "--transport"))
      continue;
    r.words.push_back(name + "=" + text);
  }
  if (!line.given("--epochs")) r.words.push_back("--epochs=" + std::to_string(r.base.options.epochs));
  return std::nullopt;
}

search_space space_of(const search_request& request) {
  search_request unused;
  command_line line("search", "", "");
  declare_training(line, unused.base);
  search_space space = search_space::parse(request.spaces, [&](std::string_view option) {
    const std::string name = "--" + std::string(option);
    return line.has(name) && line.takes_count(name);
  });
  for (const search_dimension& d : space.dimensions()) {
    const std::string name = "--" + d.option;
    if (!line.has(name))
      throw config_error("the space names " + quote(d.option) + ", which is no option of 'hogwild train'");
    if (line.name_of(name) != name)
      throw config_error("the space names " + quote(d.option) + ", a negated flag: name " +
                         quote(line.name_of(name).substr(2)) + ", which is true or false");
    if (facts_of(name).search != in_a_search::tried)
      throw config_error("the space names " + quote(d.option) + ", which is the same for all trials");
    if (name != "--epochs" &&
        std::ranges::any_of(request.words, [&](const std::string& w) { return w.starts_with(name + "="); }))
      throw config_error(name + " is given, and the space names it too: leave one of them out");
  }
  return space;
}

configuration_reader::configuration_reader(const search_request& request) : request_(request), line_("search", "", "") {
  declare_training(line_, read_);
}

std::optional<int> configuration_reader::read(const configuration& options, train_request& of_trial) {
  std::vector<std::string> words{"search", request_.base.data};
  const bool names_epochs = std::ranges::find(options, "epochs", &given_option::name) != options.end();
  for (const std::string& word : request_.words)
    if (!names_epochs || !word.starts_with("--epochs=")) words.push_back(word);
  for (const given_option& o : options) words.push_back("--" + o.name + "=" + o.text);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  read_ = train_request();
  if (const auto code = line_.parse(static_cast<int>(argv.size()), argv.data())) return code;
  refuse_options(line_, read_);
  complete_training(line_, read_);
  if (read_.files.format != request_.base.files.format)
    throw config_error("all models of a space must read the same data, but " + read_.model + " reads " +
                       read_.files.format + " and " + request_.base.model + " reads " + request_.base.files.format);
  of_trial = read_;
  of_trial.files = request_.base.files;
  of_trial.rank_timeout = request_.base.rank_timeout;
  return std::nullopt;
}

std::string train_command_for(const search_request& request, const trial& of) {
  std::string text = "hogwild train " + shell_word(request.base.data);
  const bool names_epochs = std::ranges::find(of.options, "epochs", &given_option::name) != of.options.end();
  for (const std::string& word : request.words)
    if (!names_epochs || !word.starts_with("--epochs=")) text += " " + shell_word(word);
  const row_files& numbers = request.base.rows;
  if (!numbers.weights.empty()) text += " " + shell_word("--weights=" + numbers.weights);
  if (!numbers.offsets.empty()) text += " " + shell_word("--offsets=" + numbers.offsets);
  for (const given_option& o : of.options) text += " " + shell_word("--" + o.name + "=" + o.text);
  return text;
}

}  // namespace hogwild::cli
