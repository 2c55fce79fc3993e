// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <hogwild/detail/command/registered_training.hpp>
#include <hogwild/error.hpp>

#include <command_line.hpp>
#include <several_request.hpp>
#include <train_words.hpp>

namespace hogwild::python {
namespace {

void declare(cli::command_line& line, cli::train_request& request) {
  cli::declare_training(line, request);
  cli::declare_several(line, request.several);
}

/// Options whose effect is the command's alone, and what a program does instead.
struct refused_options {
  std::initializer_list<const char*> words;
  const char* instead;
};
constexpr refused_options of_the_command[] = {
    {{"--stream", "--save", "--save-every", "--save-diverged", "--test", "--test-weights", "--test-offsets", "--known",
      "--init", "--init-groups", "--labels", "--weights", "--offsets", "--stop-exit-code"},
     " is the command's: leave it out"},
    {{"--format", "--index-base", "--cache-dir", "--no-cache", "--memory", "--values", "--named-ids", "--positive-from",
      "--terminals", "--terminals-seed", "--min-count"},
     " says how the command reads files: leave it out, and give hw.open(path) what it takes"},
    {{"--user-features", "--item-features"},
     " names a file of the command: the classes of hogwild.recommend take matrices of features in fit()"},
};

void refuse_options_of_the_command(const cli::command_line& line, const cli::train_request& request) {
  for (const auto& [words, instead] : of_the_command)
    for (const char* const word : words)
      if (line.given(word)) throw config_error(word + std::string(instead));
  if (request.files.table.asked())
    throw config_error("options for tables say how the command reads files: give them to hw.open(path)");
  if (!request.validation_file.empty() || request.validation_last > 0)
    throw config_error(
        "--validation is a fraction of the rows within Python, and a file and last:N are the command's: give a number "
        "between 0 and 1");
}

}  // namespace

cli::train_request request_of(const std::vector<std::string>& words, const std::string& source) {
  cli::train_request request;
  cli::command_line line("train", "", "");
  declare(line, request);
  std::vector<std::string> all = words;
  all.emplace_back("--quiet");
  all.push_back(source);
  line.take(all);
  const bool threads = request.engine == cli::engine_name::serial || request.engine == cli::engine_name::threads;
  if (!threads && cli::find_training(request.model) != nullptr)
    throw config_error(
        "what Python has compiled lies in this process alone, where worker processes do not find it: take engine "
        "serial "
        "or threads");
  if (!threads)
    throw config_error(
        "within Python rows are trained by engine serial or threads; others are the command's: "
        "python -m hogwild train");
  refuse_options_of_the_command(line, request);
  cli::complete_training(line, request);
  cli::complete_several(request);
  if (!line.given("--team")) request.team = thread_team_kind::std;
  request.pin = line.given("--pin") && request.pin;
  return request;
}

nanobind::dict option_texts() {
  cli::train_request request;
  cli::command_line line("train", "", "");
  declare(line, request);
  nanobind::dict texts;
  const auto add = [&](const std::string& word) {
    if (!line.has(word)) return;
    const bool refused = std::ranges::any_of(of_the_command, [&](const refused_options& some) {
      return std::ranges::find(some.words, word) != some.words.end();
    });
    std::string name = word.substr(2);
    std::ranges::replace(name, '-', '_');
    texts[name.c_str()] = refused ? std::string() : line.help_of(word);
  };
  for (const std::string_view word : cli::words_with_facts()) add(std::string(word));
  for (const char* const word : {"--multiclass", "--ensemble", "--ensemble-by", "--combine"}) add(word);  // in no table
  for (const model_descriptor* const known : known_models())
    for (const model_option& o : known->facts().options) add("--" + o.name);
  return texts;
}

namespace {

const char* kind_of_input(model_input input) {
  switch (input) {
    case model_input::rows:
      return "rows";
    case model_input::fields:
      return "fields";
    case model_input::ratings:
      return "ratings";
    case model_input::corpus:
      return "corpus";
    case model_input::graph:
      return "graph";
    case model_input::edges:
      return "edges";
    case model_input::pairs:
      return "pairs";
    case model_input::triples:
      return "triples";
  }
  return "";
}

}  // namespace

nanobind::dict facts_of_models() {
  nanobind::dict all;
  for (const model_descriptor* const known : known_models()) {
    if (cli::find_training(known->name()) != nullptr) continue;  // trained by an object of Python, not by name
    nanobind::list options;
    for (const model_option& o : known->facts().options)
      options.append(nanobind::make_tuple(o.name.c_str(), o.placeholder.c_str(), o.otherwise.c_str(), o.help.c_str()));
    nanobind::dict facts;
    facts["summary"] = known->facts().summary.c_str();
    facts["options"] = options;
    facts["takes_bias"] = known->facts().no_bias.empty() && known->facts().input != model_input::graph;
    facts["input"] = kind_of_input(known->facts().input);
    all[std::string(known->name()).c_str()] = facts;
  }
  return all;
}

}  // namespace hogwild::python
