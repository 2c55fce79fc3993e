// SPDX-License-Identifier: Apache-2.0
#include "train_request.hpp"

#include <set>
#include <string>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "train_words.hpp"

namespace hogwild::cli {
namespace {

/// Declares an option that some models have. Whether the model in question takes the text is checked later
/// (check_options_of_models()).
void declare_option(command_line& line, const model_option& o, model_options& given) {
  if (o.is_flag()) {
    const auto set = [&given, name = o.name](bool value) { given.set(name, value ? "true" : "false"); };
    line.flag("--" + o.name + ",!--no-" + o.name, o.help, set);
    return;
  }
  line.option("--" + o.name, o.placeholder, o.otherwise, o.help, [&given, name = o.name](const std::string& text) {
    given.set(name, text);
    return std::string();
  });
}

/// Declares options that only some models have. Models of a family share options.
void declare_options_of_models(command_line& line, train_request& r) {
  declare_group(line, r, "Of models");
  std::set<std::string> declared;
  for (const model_descriptor* const known : known_models())
    for (const model_option& o : known->facts().options) {
      if (declared.contains(o.name)) continue;
      if (line.has("--" + o.name))
        throw config_error("the model " + std::string(known->name()) + " has an option --" + o.name +
                           ", which the command already has: rename it in the model's numbers()");
      declare_option(line, o, r.of_model);
      declared.insert(o.name);
    }
  for (const model_descriptor* const known : known_models()) {
    std::vector<command_line::topic_option> options;
    for (const model_option& o : known->facts().options)
      options.push_back({"--" + o.name, o.placeholder, o.otherwise, o.help});
    for (const std::string& name : known->facts().uses)
      options.push_back({"--" + name, "", "", line.help_of("--" + name)});
    line.topic(std::string(known->name()), known->facts().summary, options);
  }
}

}  // namespace

void declare_training(command_line& line, train_request& r) {
  line.positional("DATA", r.data,
                  "training rows; '-' is standard input; each of several ranks trains a part of the file, or a file of "
                  "its own if the path has %rank");
  for (const char* const group : {"Data", "Model", "Workers", "Step", "Stopping", "Output", "Streams"}) {
    line.group(group);
    declare_group(line, r, group);
    if (std::string_view(group) != "Data") continue;
    r.rows.declare(line, "", "the training rows");
    r.test_rows.declare(line, "test-", "the rows of --test FILE");
    r.validation_rows.declare(line, "validation-", "the rows of --validation FILE");
    r.files.declare(line);
    r.files.declare_values(line);
  }
  declare_options_of_models(line, r);
  declare_needs(line);
}

void complete_training(const command_line& line, train_request& r) {
  r.released.dense = r.released_dense ? 1 : 0;
  r.files.isa = r.options.isa;
  if (line.given("--bias")) r.own_bias = r.options.bias;
  r.files.choose_format(r.model);
  check_options(line, r);
  r.compared = compared_words(line);
  const std::size_t epochs = model_named(r.model).epochs(r.of_model);
  if (epochs > 0 && !line.given("--epochs")) r.options.epochs = epochs;
  if (r.walks > 0) r.options.epochs = r.walks;
}

std::optional<int> parse_train(int argc, const char* const* argv, train_request& r) {
  command_line line(
      "train", "Trains a model on LIBSVM or libffm data, tables, ratings, images, graphs or text, plain or compressed.",
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
  complete_several(r);
  complete_folds(line, r);
  if (r.calibrate != calibration_kind::none && r.save.empty())
    throw config_error("--calibrate is kept in the saved model: give --save FILE as well");
  if (r.options.keep_state && r.save.empty())
    throw config_error("--save-state is about the saved model: give --save FILE as well");
  return std::nullopt;
}

std::optional<int> parse_advise(int argc, const char* const* argv, train_request& r) {
  command_line line("advise",
                    "Predicts the time of an epoch on DATA for each engine and number of workers, and recommends one.",
                    "hogwild advise train.svm --model hinge_svm");
  line.positional("DATA", r.data, "training rows; '-' is standard input");
  r.files.declare(line);
  r.files.declare_values(line);
  declare_words(line, r,
                {"--labels", "--model", "--bias", "--bias-rate", "--l2", "--l1", "--l2-form", "--step", "--batch",
                 "--sharing", "--update", "--workers", "--cpus", "--verify", "--json", "--quiet"});
  line.describe("--workers", "largest number of workers to predict for (0: as many as the machine and its quota give)");
  line.describe("--json", "print one JSON object");
  declare_options_of_models(line, r);
  line.show_first({"--model", "--workers", "--verify", "--json"});
  if (const auto code = line.parse(argc, argv)) return code;
  if (r.options.l2_by_folds) throw config_error("advise predicts a single training: leave out --l2 auto");
  if (line.given("--bias")) r.own_bias = r.options.bias;
  r.files.choose_format(r.model);
  check_model(line, r);
  return std::nullopt;
}

}  // namespace hogwild::cli
