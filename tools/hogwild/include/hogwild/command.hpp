// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <hogwild/detail/command/command_main.hpp>
#include <hogwild/detail/command/registered_training.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/model.hpp>

// The hogwild command with models of a program's own:
//
//   int main(int argc, char** argv) {
//     hogwild::register_model<my_model>("what it learns, in one sentence");
//     return hogwild::command_main(argc, argv);
//   }
//
// Link with hogwild::command. The program then trains (`my_program train train.svm --model my_model`), evaluates,
// predicts, inspects and serves as worker processes, with every option of the command.

namespace hogwild {

/// Registers M with the command under its name, M::name, which is one word. `input` is the kind of files that it reads.
///
/// The command makes the model as M{}. It sets the members `features` and `classes`, if M has them, from the training
/// data, and those that M::numbers() names and explains from the options --NAME VALUE. Then it calls prepare_for(const
/// hogwild::model_data&), if M has it, for everything else that depends on the rows; members that this sets are in
/// numbers(), too, without a help. Saved models hold all of them.
///
/// Call it in main() before command_main(), since worker processes run the same main. Throws config_error if a model of
/// this name is known.
template <model M>
void register_model(std::string summary, model_input input = model_input::rows) {
  static_assert(conforms_for_processes<M>());
  static_assert(
      requires { M::name; }, "a model that is registered has a static constexpr std::string_view name");
  cli::register_training(
      {std::make_unique<const detail::plain_descriptor<M>>(std::move(summary), input),
       [](const registered_object& m, const sparse_view& rows, const train_options& options, collective* ranks) {
         return prepare(static_cast<const registered_object_of<M>&>(m).model(), rows, options, ranks);
       },
       factory_of<M>(model_name<M>())});
}

}  // namespace hogwild
