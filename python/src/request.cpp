// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <hogwild/detail/command/registered_training.hpp>
#include <hogwild/error.hpp>

#include <command_line.hpp>
#include <several_request.hpp>

namespace hogwild::python {

cli::train_request request_of(const std::vector<std::string>& words, const std::string& source) {
  cli::train_request request;
  cli::command_line line("train", "", "");
  cli::declare_training(line, request);
  cli::declare_several(line, request.several);
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
  for (const char* const name : {"--stream", "--save", "--test", "--init", "--labels", "--weights", "--offsets"})
    if (line.given(name)) throw config_error(std::string(name) + " is the command's: leave it out");
  cli::complete_training(line, request);
  cli::complete_several(request);
  if (!line.given("--team")) request.team = thread_team_kind::std;
  request.pin = line.given("--pin") && request.pin;
  return request;
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
