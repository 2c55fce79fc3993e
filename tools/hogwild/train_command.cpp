// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <hogwild/core/atomic_file.hpp>
#include <hogwild/core/error.hpp>
#include <hogwild/core/saved_model.hpp>
#include <hogwild/names.hpp>

#include "commands.hpp"
#include "damaged_cache.hpp"
#include "data_files.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "summary.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// Opens the training data and, where that is asked for, trains the first epoch meanwhile.
sparse_dataset open_data(const train_request& request, train_options& options) {
  if (!request.overlap) return open_training(request.data, request.files);
  const named_model m = make_model(request.model, {.huber_delta = request.huber_delta});
  const auto pass = first_pass_of(m, options);
  sparse_dataset data = open_training(request.data, request.files, pass->listener());
  options.first_pass = pass->finish(data.numbering());
  if (!options.first_pass && !request.files.quiet)
    say("--overlap trained on nothing: the rows came from a cache, or their labels were known too late");
  return data;
}

named_model model_of(train_request& request, const sparse_dataset& data) {
  model_choice choice{.huber_delta = request.huber_delta, .features = data.features()};
  if (request.model == softmax::name) {
    choice.classes = label_map::learn(label_kind::classes, data.view().label, request.data).classes();
    // A margin model's bias is the engine's work; softmax has one for each class in itself.
    choice.bias = std::exchange(request.options.bias, false);
  }
  return make_model(request.model, choice);
}

train_result train_once(train_request request, interrupt& asked, observer* watcher) {
  const sparse_dataset data = open_data(request, request.options);
  std::optional<sparse_dataset> test, validation;
  if (!request.test.empty()) test = open_through(request.test, data.numbering(), request.files, false);
  if (!request.validation_file.empty()) {
    validation = open_through(request.validation_file, data.numbering(), request.files, false);
  }
  const named_model m = model_of(request, data);
  asked.begin_asking();
  train_options options = request.options;
  options.data_name = request.data;
  options.stop = asked.token();
  if (test) options.test = test->view();
  if (validation) options.validation = validation->view();
  if (watcher != nullptr) options.observers.push_back(watcher);

  train_result result = train_with_engine(m, data, request, options);
  if (!request.save.empty() && result.status != run_status::diverged) {
    save_model(request.save, to_saved(m, result.parameters, result.labels, data.numbering().original()),
               model_format_for(request.save));
  }
  return result;
}

exit_code exit_code_for(run_status status) {
  if (status == run_status::diverged) return exit_code::diverged;
  return status == run_status::stopped ? exit_code::interrupted : exit_code::done;
}

}  // namespace

int train_command(int argc, const char* const* argv) {
  train_request request;
  if (const auto code = parse_train(argc, argv, request)) return *code;
  interrupt asked;
  // A place that cannot be written is refused now, not after hours of training.
  for (const auto& place : {request.save, std::string(request.options.checkpoint)}) {
    if (!place.empty()) atomic_file{place};
  }

  progress shown(::isatty(STDERR_FILENO) != 0);
  const train_result result =
      with_sound_cache([&] { return train_once(request, asked, request.files.quiet ? nullptr : &shown); });
  if (request.json) {
    std::fputs(summary_json(request, result).c_str(), stdout);
  } else if (!request.files.quiet) {
    std::fputs(summary_text(request, result).c_str(), stdout);
    if (!request.save.empty() && result.status != run_status::diverged)
      std::printf("saved       %s\n", request.save.c_str());
  }
  if (result.status == run_status::diverged) say(divergence_advice(result));
  return static_cast<int>(exit_code_for(result.status));
}

}  // namespace hogwild::cli
