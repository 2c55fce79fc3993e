// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/scratch_folder.hpp"

namespace hogwild::test {

void write_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);
/// The objects of a run record, or of any other file with one a line.
std::vector<nlohmann::json> record_in(const std::string& path);

/// Words of a command line: {"train --epochs 3 --save", path, more}. A literal is split at its blanks; a string, a path
/// and other words are taken as they are.
class command_words : public std::vector<std::string> {
 public:
  struct part : std::vector<std::string> {
    part(const char* split_at_blanks);
    part(const std::string& word) : vector{word} {}
    part(const std::filesystem::path& word) : vector{word.string()} {}
    part(const std::vector<std::string>& words) : vector(words) {}
  };
  command_words() = default;
  command_words(const char* split_at_blanks) : vector(part(split_at_blanks)) {}
  command_words(const std::vector<std::string>& words) : vector(words) {}
  command_words(std::initializer_list<part> parts) {
    for (const part& p : parts) insert(end(), p.begin(), p.end());
  }
};

/// How a command ended.
struct outcome {
  int code = -1;  ///< exit code, or minus the signal that ended it
  std::string out, err;
};

/// Another program: the words begin with its path.
struct any_program {
  command_words words;
};

/// The hogwild program, or another one, with a folder of its own, in which its temporary files lie (launchers of MPI
/// collide in a common one). Its caches fall back to "FOLDER/caches".
class running_command {
 public:
  /// `input` is its standard input; `out` and `err` name files or devices for its output.
  running_command(const command_words& arguments, const std::string& input = {}, const std::string& out = {},
                  const std::string& err = {});
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

outcome hogwild(const command_words& arguments, const std::string& input = {});
outcome run_program(const command_words& path_and_arguments);
/// A script of the shell, in which "$@" is the command with these arguments.
any_program shell_program(const std::string& script, const command_words& arguments);
outcome in_shell(const std::string& script, const command_words& arguments);

/// The JSON that a command has printed; the test fails unless the command has ended with 0.
nlohmann::json result_of(const outcome& o);
nlohmann::json result_of(const command_words& arguments);

/// The name of the segment that a running process has made.
std::string segment_of(pid_t process);

/// Expects that a command has ended with the code, and that its message has the phrase.
void expect_told(const outcome& o, int code, const std::string& phrase);

/// Evaluates a model on the rows that it was tested on in training: both must agree, up to a difference.
nlohmann::json expect_measured_alike(const nlohmann::json& run, const std::string& model, const std::string& rows,
                                     double difference = 1e-6);
/// The fraction of the rows of a file that begin with their prediction; predictions have a line for each row.
double fraction_right(const std::string& predicted, const std::string& rows);

/// Path of the hogwild program.
std::string hogwild_path();

}  // namespace hogwild::test
