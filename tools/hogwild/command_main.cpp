// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include <hogwild/detail/command/command_main.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/notes.hpp>

#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"
#include "training.hpp"

namespace {

struct command {
  std::string_view name, purpose;
  int (*run)(int, const char* const*);
};

constexpr command commands[] = {
    {"train", "train a model on rows, ratings, images, a graph or text", hogwild::cli::train_command},
    {"search", "search for the options by which a model learns best", hogwild::cli::search_command},
    {"advise", "predict the time of training, and recommend an engine", hogwild::cli::advise_command},
    {"predict", "predict the labels of rows", hogwild::cli::predict_command},
    {"evaluate", "measure a model on labelled rows", hogwild::cli::evaluate_command},
    {"recommend", "recommend items to a user", hogwild::cli::recommend_command},
    {"neighbors", "find the users, items or words nearest to one", hogwild::cli::neighbors_command},
    {"generate", "write synthetic data with the shape of a text collection", hogwild::cli::generate_command},
    {"convert", "turn a model from binary to text and back", hogwild::cli::convert_command},
    {"quantize", "write a text classifier in a smaller file", hogwild::cli::quantize_command},
    {"inspect", "describe a model, a dataset cache or a checkpoint", hogwild::cli::inspect_command},
    {"cache", "list or remove dataset caches", hogwild::cli::cache_command},
    {"segments", "list or remove shared memory of training runs", hogwild::cli::segments_command},
    {"bench", "measure engines and other programs until they reach a target", hogwild::cli::bench_command},
    {"report", "make one page of plots and tables of records", hogwild::cli::report_command},
    {"worker", "join a run under way as one more worker process", hogwild::cli::worker_command},
    {"--version", "show the version and the build", hogwild::cli::version_command},
};

std::string help() {
  std::string text =
      "hogwild: lock-free training on shared memory\n\nUsage: hogwild COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const command& c : commands) {
    std::string name(c.name);
    name.resize(12, ' ');
    text.append("  ").append(name).append(c.purpose).append("\n");
  }
  return text +
         "\n'hogwild COMMAND --help' shows the options of a command.\n\nExample:\n"
         "  hogwild generate train.svm --test test.svm\n"
         "  hogwild train train.svm --test test.svm --model hinge_svm --save model.txt\n";
}

int failed(hogwild::exit_code code, const char* sentence) {
  hogwild::cli::say(sentence);
  return static_cast<int>(code);
}

int run(int argc, const char* const* argv) {
  const std::string_view asked = argc > 1 ? argv[1] : "";
  if (asked == "--help" || asked == "-h" || asked == "help") {
    hogwild::cli::print(help());
    return 0;
  }
  const auto* const found = std::ranges::find(commands, asked, &command::name);
  if (found != std::end(commands)) return found->run(argc - 1, argv + 1);
  if (!asked.empty()) hogwild::cli::say("there is no command " + hogwild::quote(asked));
  std::fputs(help().c_str(), stderr);
  return static_cast<int>(hogwild::exit_code::usage);
}

}  // namespace

int hogwild::command_main(int argc, const char* const* argv) noexcept {
  hogwild::cli::secure_standard_streams();
  if (const auto code = hogwild::cli::spawned_worker_main(argc, argv)) return *code;
  set_default_notes({});  // the command has its own listener for notes, unless --quiet is given
  try {
    return run(argc, argv);
  } catch (const hogwild::error& e) {
    return failed(e.code(), e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    const std::string where = e.path1().empty() ? "the current folder" : e.path1().string();
    return failed(hogwild::exit_code::input, (where + ": " + e.code().message()).c_str());
  } catch (const std::bad_alloc&) {
    return failed(hogwild::exit_code::resources, "there is not enough memory for this");
  } catch (const std::exception& e) {
    return failed(hogwild::exit_code::internal, (std::string("internal fault: ") + e.what()).c_str());
  }
}
