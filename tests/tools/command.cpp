// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "support/eventually.hpp"

namespace hogwild::test {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<nlohmann::json> record_in(const std::string& path) {
  std::vector<nlohmann::json> objects;
  for (const std::string& line : lines_of(read_file(path))) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

command_words::part::part(const char* split_at_blanks) {
  std::istringstream stream(split_at_blanks);
  for (std::string word; stream >> word;) push_back(word);
}

std::string hogwild_path() {
  return HOGWILD_PROGRAM;
}

running_command::running_command(const command_words& arguments, const std::string& input, const std::string& out,
                                 const std::string& err)
    : running_command(any_program{{hogwild_path(), arguments}}, input, out, err) {}

running_command::running_command(const any_program& program, const std::string& input, const std::string& out,
                                 const std::string& err)
    : out_(out.empty() ? (folder_ / "out").string() : out), err_(err.empty() ? (folder_ / "err").string() : err) {
  write_file(folder_ / "in", input);
  std::vector<std::string> words = program.words;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::filesystem::create_directory(folder_ / "tmp");
  std::vector<std::string> variables = {"XDG_CACHE_HOME=" + (folder_ / "caches").string(),
                                        "TMPDIR=" + (folder_ / "tmp").string()};
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string_view variable = *v;
    if (!variable.starts_with("XDG_CACHE_HOME=") && !variable.starts_with("TMPDIR=")) variables.emplace_back(variable);
  }
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);

  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, (folder_ / "in").c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, out_.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&files, 2, err_.c_str(), O_WRONLY | O_CREAT | O_NOCTTY, 0600);
  // The process that runs the tests may ignore signals, as nohup does.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int fault = ::posix_spawn(&pid_, words.front().c_str(), &files, &attributes, argv.data(), envp.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (fault != 0) throw std::runtime_error("cannot start " + words.front());
}

running_command::~running_command() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
}

bool running_command::ended() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
  return pid_ <= 0;
}

bool running_command::says(const std::string& text) {
  const auto said = [&] { return err().find(text) != std::string::npos; };
  eventually(std::chrono::seconds(30), [&] { return said() || ended(); });
  return said();
}

void running_command::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

outcome running_command::wait() {
  if (pid_ > 0) ::waitpid(pid_, &status_, 0);
  pid_ = -1;
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  const bool kept = std::filesystem::is_regular_file(out_);
  return {code, kept ? read_file(out_) : "", std::filesystem::is_regular_file(err_) ? err() : ""};
}

outcome hogwild(const command_words& arguments, const std::string& input) {
  return running_command(arguments, input).wait();
}

outcome run_program(const command_words& path_and_arguments) {
  return running_command(any_program{path_and_arguments}).wait();
}

any_program shell_program(const std::string& script, const command_words& arguments) {
  return {{"/bin/sh -c", script, "sh", hogwild_path(), arguments}};
}

outcome in_shell(const std::string& script, const command_words& arguments) {
  return running_command(shell_program(script, arguments)).wait();
}

nlohmann::json result_of(const outcome& o) {
  EXPECT_EQ(o.code, 0) << o.err;
  return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
}

nlohmann::json result_of(const command_words& arguments) {
  return result_of(hogwild(arguments));
}

std::string segment_of(pid_t process) {
  for (const auto& segment : result_of("segments --json"))
    if (segment["owner"] == process) return segment["name"];
  ADD_FAILURE() << "process " << process << " has no segment";
  return {};
}

void expect_told(const outcome& o, int code, const std::string& phrase) {
  EXPECT_EQ(o.code, code) << o.err;
  EXPECT_THAT(o.err, ::testing::HasSubstr(phrase));
}

nlohmann::json expect_measured_alike(const nlohmann::json& run, const std::string& model, const std::string& rows,
                                     double difference) {
  const nlohmann::json measured = result_of({"evaluate", model, rows, "--json"});
  std::size_t compared = 0;
  for (const auto& [name, value] : measured.items()) {
    if (!run.contains("test_" + name)) continue;
    ++compared;
    EXPECT_NEAR(value.get<double>(), run["test_" + name].get<double>(), difference) << name;
  }
  EXPECT_GE(compared, 2u) << measured;
  return measured;
}

double fraction_right(const std::string& predicted, const std::string& rows) {
  const auto said = lines_of(predicted), asked = lines_of(read_file(rows));
  EXPECT_EQ(said.size(), asked.size());
  std::size_t right = 0;
  for (std::size_t r = 0; r < std::min(said.size(), asked.size()); ++r)
    right += asked[r].substr(0, asked[r].find(' ')) == said[r] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(asked.size());
}

}  // namespace hogwild::test
