// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

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

namespace {

std::vector<std::string> after_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {HOGWILD_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

std::string hogwild_path() {
  return HOGWILD_PROGRAM;
}

running_command::running_command(const std::vector<std::string>& arguments, const std::string& input,
                                 const std::string& out, const std::string& err)
    : running_command(any_program{after_program(arguments)}, input, out, err) {}

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
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < until) {
    if (err().find(text) != std::string::npos) return true;
    if (ended()) return err().find(text) != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
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

outcome hogwild(const std::vector<std::string>& arguments, const std::string& input) {
  return running_command(arguments, input).wait();
}

}  // namespace hogwild::test
