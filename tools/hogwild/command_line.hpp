// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild::cli {

/// The arguments of one command: declared one by one, then parsed into the variables that they were declared with.
/// Variables of options that are not given stay unchanged. It wraps CLI11, which is compiled once, here.
class command_line {
 public:
  /// Takes a text; returns an error message, or an empty text.
  using setter = std::function<std::string(const std::string&)>;

  /// `example` is shown by --help.
  command_line(const std::string& command, const std::string& purpose, const std::string& example);
  ~command_line();

  // Positionals are names of files or folders.
  void positional(const std::string& name, std::string& value, const std::string& help);
  void positional(const std::string& name, std::vector<std::string>& values, const std::string& help);  ///< any number

  /// `placeholder` stands for the value in the help; `shown` describes the default.
  void option(const std::string& name, const std::string& placeholder, const std::string& shown,
              const std::string& help, setter set);
  void option(const std::string& name, std::string& value, const std::string& help);  ///< the name of a file
  /// A text that is not empty.
  void option(const std::string& name, const std::string& placeholder, std::string& value, const std::string& help);
  void option(const std::string& name, double& value, const std::string& help);
  void option(const std::string& name, std::uint64_t& value, const std::string& help);
  void option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& help);
  /// A size in bytes.
  void option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& shown,
              const std::string& help);
  /// Nonempty texts, one each time that the option is given.
  void options(const std::string& name, const std::string& placeholder, std::vector<std::string>& values,
               const std::string& help);
  void flag(const std::string& name, bool& value, const std::string& help);
  void flag(const std::string& name, const std::string& help, std::function<void(bool)> set);

  /// One of a few words, each standing for a value; the first word that stands for the present value is shown.
  template <class T>
  using words_for = std::vector<std::pair<std::string_view, T>>;
  /// `Value` is T, or an optional one that is empty if the option is not given.
  template <class T, class Value>
  void choice(const std::string& name, Value& value, const words_for<T>& words, const std::string& help) {
    std::vector<std::pair<std::string, T>> known(words.begin(), words.end());
    std::string list, spaced, shown;
    for (const auto& [word, stands_for] : known) {
      list += (list.empty() ? "" : "|") + word;
      spaced += (spaced.empty() ? "" : ", ") + word;
      if (shown.empty() && stands_for == value) shown = word;
    }
    // Many words stand in the text, which can be wrapped.
    const bool few = list.size() <= 80;
    option(name, few ? list : "WORD", shown, few ? help : help + "; one of " + spaced,
           [&value, known, list](const std::string& text) -> std::string {
             for (const auto& [word, stands_for] : known) {
               if (word != text) continue;
               value = stands_for;
               return {};
             }
             return quote(text) + " is none of " + list;
           });
  }

  /// The heading under which the help shows the options declared from now on.
  void group(const std::string& heading);
  /// Names the options declared so far that --help shows; --help-all shows the others, too, and --help GROUP those of
  /// one group.
  void show_first(const std::vector<std::string>& names);

  /// The text of --help TOPIC for an option that only some topics have.
  struct topic_option {
    std::string name, placeholder, shown, help;  ///< an empty placeholder or default is the option's
  };
  /// `--help NAME` and `--help=NAME` show these options, which a plain --help leaves out. An option may belong to
  /// several topics.
  void topic(const std::string& name, const std::string& summary, const std::vector<topic_option>& options);

  std::string help_of(const std::string& name) const;
  /// For options that another declaration has added: replaces the help text, or hides the option.
  void describe(const std::string& name, const std::string& help);
  void hide(const std::string& name);

  void require(const std::string& name);
  /// `name` requires `other`.
  void needs(const std::string& name, const std::string& other);
  void excludes(const std::string& name, const std::string& other);
  bool given(const std::string& name) const;
  /// Whether an option of this name has been declared.
  bool has(const std::string& name) const;
  /// The first of its names; for a flag the affirmative one.
  std::string name_of(const std::string& name) const;
  /// Whether its value is a whole number.
  bool takes_count(const std::string& name) const;
  /// The options that were given, in the order of their declarations, each once for each of its texts; flags with
  /// "true" or "false".
  struct given_text {
    std::string name, text;
  };
  std::vector<given_text> given_texts() const;

  /// Fills the variables. If it prints the help or an error, returns the exit code with which to end.
  std::optional<int> parse(int argc, const char* const* argv);
  /// The same for calls from a program: throws config_error for errors, and knows no --help.
  void take(std::vector<std::string> words);

 private:
  struct parser;
  std::unique_ptr<parser> parser_;
};

/// An error message about a file's name, or an empty text.
std::string fault_of_name(std::string_view text);

/// The whole text as a number; nothing if it is not a finite number.
std::optional<double> to_number(std::string_view text);

/// The whole text as a whole number below 2^64; nothing if it is none.
std::optional<std::uint64_t> to_count(std::string_view text);

/// A whole number of bytes, or of KiB, MiB or GiB with K, M or G behind it; nothing if it is not a number, or beyond
/// 2^64.
std::optional<std::uint64_t> to_bytes(std::string_view text);

}  // namespace hogwild::cli
