// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/small_data.hpp"

namespace hogwild::test {

/// The command as ranks that mpiexec starts on this machine.
class with_ranks : public with_small_data {
 protected:
  static any_program launch(int n, const command_words& program) {
    return {{MPIEXEC, "--oversubscribe -n", std::to_string(n), program}};
  }
  static outcome run(int n, const command_words& arguments) {
    return running_command(launch(n, {hogwild_path(), arguments})).wait();
  }

  /// Ranks whose shell runs `script` first, which may change folder, or the arguments "$@" of the rank RANK.
  static any_program with_script(int n, const std::string& script, const command_words& arguments) {
    return launch(
        n, {"/bin/sh -c", "RANK=$OMPI_COMM_WORLD_RANK; " + script + "; exec \"$0\" \"$@\"", hogwild_path(), arguments});
  }

  /// Ranks that write their process number to FOLDER/pidN before they begin.
  static any_program with_pids(int n, const command_words& arguments) {
    return with_script(n, "echo $$ > '" + folder->path().string() + "'/pid$RANK", arguments);
  }
  /// Gives each of n ranks a part of the training rows, in files of the name that is returned.
  static std::string divided_rows(std::size_t n) {
    const auto lines = lines_of(read_file(train()));
    for (std::size_t r = 0; r < n; ++r) {
      std::string part;
      for (std::size_t i = lines.size() * r / n; i < lines.size() * (r + 1) / n; ++i) part += lines[i] + "\n";
      folder->write("part" + std::to_string(r) + ".svm", part);
    }
    return file("part%rank.svm");
  }
  /// The sentences on stderr, except those of mpiexec, which reports that a rank ended early, and of ranks that mpiexec
  /// ends before they get to what the others refuse.
  static std::vector<std::string> told_by_ranks(const outcome& o) {
    std::vector<std::string> all;
    for (const std::string& line : lines_of(o.err))
      if (line.starts_with("hogwild:") && !line.starts_with("hogwild: ended at once") &&
          line.find(" ended, so the run ends and nothing is saved") == std::string::npos)
        all.push_back(line);
    return all;
  }
  /// Expects that one of them refuses it, before it has printed anything.
  static void expect_refused_once(const outcome& o, int code, const std::string& sentence) {
    expect_told(o, code, sentence);
    EXPECT_EQ(told_by_ranks(o).size(), 1u) << o.err;
    EXPECT_EQ(o.out, "");
  }

  static pid_t pid_of(int rank) { return std::stoi(read_file(*folder / ("pid" + std::to_string(rank)))); }
};

}  // namespace hogwild::test
