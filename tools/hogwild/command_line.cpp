// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include <hogwild/core/error.hpp>
#include <hogwild/core/printable.hpp>

#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

std::string shown_number(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

template <class T>
command_line::setter number_setter(T& value) {
  return [&value](const std::string& text) -> std::string {
    const auto number = to_number(text);
    if (!number) return quote(text) + " is not a number";
    value = *number;
    return {};
  };
}

template <class T>
command_line::setter count_setter(T& value) {
  return [&value](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc{} || rest != end) return quote(text) + " is not a whole number from 0 on";
    value = number;
    return {};
  };
}

const std::string& named_file(const std::string& name, const std::string& text) {
  if (const std::string fault = fault_of_name(text); !fault.empty()) throw CLI::ValidationError(name, fault);
  return text;
}

}  // namespace

std::string fault_of_name(std::string_view text) {
  return text.empty() ? "a name is missing" : "";
}

struct command_line::parser {
  CLI::App app;
  explicit parser(const std::string& command, const std::string& purpose) : app(purpose, "hogwild " + command) {}
};

command_line::command_line(const std::string& command, const std::string& purpose, const std::string& example)
    : parser_(std::make_unique<parser>(command, purpose)) {
  parser_->app.footer("Example:\n  " + example);
  parser_->app.get_formatter()->column_width(36);
}

command_line::~command_line() = default;

void command_line::positional(const std::string& name, std::string& value, const std::string& help) {
  const auto store = [name, &value](const std::string& text) { value = named_file(name, text); };
  parser_->app.add_option_function<std::string>(name, store, help)->required()->type_name("");
}

void command_line::positional(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  const auto store = [name, &values](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) values.push_back(named_file(name, text));
  };
  parser_->app.add_option_function<std::vector<std::string>>(name, store, help)->type_name("");
}

void command_line::option(const std::string& name, const std::string& placeholder, const std::string& shown,
                          const std::string& help, setter set) {
  const auto store = [name, set = std::move(set)](const std::string& text) {
    if (const std::string fault = set(text); !fault.empty()) throw CLI::ValidationError(name, fault);
  };
  auto* const added = parser_->app.add_option_function<std::string>(name, store, help);
  added->type_name(placeholder);
  if (!shown.empty()) added->default_str(shown);
}

void command_line::option(const std::string& name, std::string& value, const std::string& help) {
  option(name, "FILE", value, help, [&value](const std::string& text) -> std::string {
    value = text;
    return fault_of_name(text);
  });
}

void command_line::option(const std::string& name, double& value, const std::string& help) {
  option(name, "X", shown_number(value), help, number_setter(value));
}

void command_line::option(const std::string& name, std::optional<double>& value, const std::string& help) {
  option(name, "X", "", help, number_setter(value));
}

void command_line::option(const std::string& name, std::uint64_t& value, const std::string& help) {
  option(name, "N", std::to_string(value), help, count_setter(value));
}

void command_line::option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& help) {
  option(name, "N", "", help, count_setter(value));
}

void command_line::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, help);
}

void command_line::require(const std::string& name) {
  parser_->app.get_option(name)->required();
}

void command_line::needs(const std::string& name, const std::string& other) {
  parser_->app.get_option(name)->needs(parser_->app.get_option(other));
}

void command_line::excludes(const std::string& name, const std::string& other) {
  parser_->app.get_option(name)->excludes(parser_->app.get_option(other));
}

bool command_line::given(const std::string& name) const {
  return parser_->app.count(name) > 0;
}

std::optional<int> command_line::parse(int argc, const char* const* argv) {
  try {
    parser_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      std::ostringstream help, errors;
      const int code = parser_->app.exit(e, help, errors);
      print(help.str());
      return code;
    }
    const std::string command = parser_->app.get_name();
    std::fprintf(stderr, "%s: %s\n'%s --help' says what there is.\n", command.c_str(), printable(e.what()).c_str(),
                 command.c_str());
    return static_cast<int>(exit_code::usage);
  }
}

std::optional<double> to_number(std::string_view text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || rest != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace hogwild::cli
