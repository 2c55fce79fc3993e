// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/small_data.hpp"

namespace hogwild::test {

/// The command as ranks that mpiexec starts on this machine.
class with_ranks : public with_small_data {
 protected:
  static running_command::any_program ranks(int n, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {MPIEXEC, "--oversubscribe", "-n", std::to_string(n), hogwild_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return {words};
  }
  static outcome run(int n, const std::vector<std::string>& arguments) {
    return running_command(ranks(n, arguments)).wait();
  }

  /// Ranks whose shell runs `script` first, which may change folder, or the arguments "$@" of the rank RANK.
  static running_command::any_program with_script(int n, const std::string& script,
                                                  const std::vector<std::string>& arguments) {
    running_command::any_program program = ranks(n, {});
    program.words.pop_back();
    program.words.insert(
        program.words.end(),
        {"/bin/sh", "-c", "RANK=$OMPI_COMM_WORLD_RANK; " + script + "; exec \"$0\" \"$@\"", hogwild_path()});
    program.words.insert(program.words.end(), arguments.begin(), arguments.end());
    return program;
  }

  /// Ranks that write their process number to FOLDER/pidN before they begin.
  static running_command::any_program with_pids(int n, const std::vector<std::string>& arguments) {
    running_command::any_program program = ranks(n, {});
    program.words.pop_back();
    program.words.insert(program.words.end(),
                         {"/bin/sh", "-c", "echo $$ > \"$0\"/pid$OMPI_COMM_WORLD_RANK; exec \"$@\"",
                          folder->path().string(), hogwild_path()});
    program.words.insert(program.words.end(), arguments.begin(), arguments.end());
    return program;
  }
  static pid_t pid_of(int rank) { return std::stoi(read_file(*folder / ("pid" + std::to_string(rank)))); }
};

}  // namespace hogwild::test
