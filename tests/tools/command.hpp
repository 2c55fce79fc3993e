// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/scratch_folder.hpp"

namespace hogwild::test {

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);

/// How a command ended.
struct outcome {
  int code = -1;  ///< exit code, or minus the signal that ended it
  std::string out, err;
};

/// The hogwild program, or another one, with a folder of its own, in which its temporary files lie (launchers of MPI
/// fall over each other in a common one). Its caches fall back to "FOLDER/caches".
class running_command {
 public:
  /// `input` is its standard input; `out` and `err` name files or devices for its output.
  running_command(const std::vector<std::string>& arguments, const std::string& input = {}, const std::string& out = {},
                  const std::string& err = {});
  /// The same for `words`, the first of which is the program's path.
  struct any_program {
    std::vector<std::string> words;
  };
  running_command(const any_program& program, const std::string& input = {}, const std::string& out = {},
                  const std::string& err = {});
  running_command(const running_command&) = delete;
  running_command& operator=(const running_command&) = delete;
  ~running_command();

  /// The text on stderr so far.
  std::string err() const { return read_file(err_); }
  /// Waits until that has the text; false where it ended or 30 seconds passed before.
  bool says(const std::string& text);
  void signal(int number) const;
  pid_t pid() const { return pid_; }
  outcome wait();

 private:
  bool ended();

  scratch_folder folder_;
  std::string out_, err_;
  pid_t pid_ = -1;
  int status_ = 0;
};

outcome hogwild(const std::vector<std::string>& arguments, const std::string& input = {});

/// Path of the hogwild program.
std::string hogwild_path();

}  // namespace hogwild::test
