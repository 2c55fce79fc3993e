// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {

int convert_command(int argc, const char* const* argv) {
  std::string in, out;
  command_line line(
      "convert",
      "Writes a model in the other format: text where OUT ends in .txt, binary otherwise. Nothing is lost\n"
      "on the way there and back.",
      "hogwild convert model.bin model.txt");
  line.positional("IN", in, "a saved model, text or binary");
  line.positional("OUT", out, "where it goes");
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});
  atomic_file::look(out);
  save_model(out, load_model(in, say), model_format_for(out));
  return 0;
}

}  // namespace hogwild::cli
