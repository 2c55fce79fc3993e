// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "help_text.hpp"
#include "ranks.hpp"
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
    const auto number = to_count(text);
    if (!number) return quote(text) + " is not a whole number from 0 on";
    value = *number;
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
  struct help_topic {
    std::string name, summary;
    std::vector<topic_option> options;
  };

  CLI::App app;
  std::string group = "Options", example;
  std::vector<std::string> first{};
  std::vector<help_topic> topics{};

  parser(const std::string& command, const std::string& purpose, const std::string& for_example)
      : app(purpose, "hogwild " + command), example(for_example) {}

  /// The topic that is asked for: the word after --help if it is a topic or a group, or any word in --help=WORD.
  std::optional<std::string> topic_in(const std::vector<std::string>& words) const;
  /// The headings of the groups that are shown, in the order of their declarations.
  std::vector<std::string> groups() const;
  help_entry entry_of(const CLI::Option& option) const;
  help_group group_of(const std::string& heading) const;
  help_page page() const;
  help_page page_of_all() const;
  /// The page of one topic or group; throws CLI::ParseError if there is none of that name.
  help_page page_of(const std::string& name) const;
};

namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

template <class Names>
std::string list_of(const Names& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

std::optional<std::string> command_line::parser::topic_in(const std::vector<std::string>& words) const {
  constexpr std::string_view with_topic = "--help=";
  if (topics.empty()) return std::nullopt;
  const auto of_groups = groups();
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with(with_topic)) return word->substr(with_topic.size());
    const auto next = std::next(word);
    const bool asks = (*word == "--help" || *word == "-h") && next != words.end();
    if (asks && (std::ranges::find(topics, *next, &help_topic::name) != topics.end() ||
                 std::ranges::find(of_groups, *next, in_small_letters) != of_groups.end()))
      return *next;
  }
  return std::nullopt;
}

std::vector<std::string> command_line::parser::groups() const {
  std::vector<std::string> found;
  for (const CLI::Option* const o : app.get_options())
    if (const std::string& heading = o->get_group();
        !o->get_positional() && !heading.empty() && std::ranges::find(found, heading) == found.end())
      found.push_back(heading);
  return found;
}

help_entry command_line::parser::entry_of(const CLI::Option& option) const {
  std::string names;
  if (option.get_positional())
    names = option.get_name();
  else {
    std::vector<std::string> all;
    for (const std::string& name : option.get_snames()) all.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
    names = list_of(all);
  }
  const bool takes_value = !option.get_positional() && option.get_items_expected_max() > 0;
  return {names, takes_value ? option.get_type_name() : "", takes_value ? option.get_default_str() : "",
          option.get_description() + (option.get_required() && takes_value ? " (required)" : "")};
}

help_group command_line::parser::group_of(const std::string& heading) const {
  help_group found{heading, {}};
  for (const CLI::Option* const o : app.get_options())
    if (!o->get_positional() && o->get_group() == heading) found.entries.push_back(entry_of(*o));
  return found;
}

help_page command_line::parser::page_of_all() const {
  help_page page{app.get_description(), app.get_name(), {{"Arguments", {}}}, "", example};
  for (const CLI::Option* const o : app.get_options())
    if (o->get_positional()) {
      page.groups.front().entries.push_back(entry_of(*o));
      page.usage += o->get_required() ? " " + o->get_name() : " [" + o->get_name() + "...]";
    }
  page.usage += " [OPTIONS]";
  for (const std::string& heading : groups()) page.groups.push_back(group_of(heading));
  return page;
}

help_page command_line::parser::page() const {
  help_page page = page_of_all();
  if (first.empty()) return page;
  page.groups.resize(1);
  page.groups.push_back({"Most used", {}});
  for (const std::string& name : first) page.groups.back().entries.push_back(entry_of(*app.get_option(name)));
  std::vector<std::string> others = groups();
  std::erase(others, app.get_help_ptr()->get_group());
  const std::string help = "'" + app.get_name() + " --help";
  page.more = "There are more: " + help + "-all' shows every option";
  if (!others.empty()) page.more += ", " + help + " GROUP' those of one group: " + in_small_letters(list_of(others));
  page.more += ".";
  if (!topics.empty()) page.more += " " + help + " MODEL' shows the options of one model.";
  return page;
}

help_page command_line::parser::page_of(const std::string& name) const {
  const std::string all = "'" + app.get_name() + " --help-all' shows every option.";
  for (const std::string& heading : groups())
    if (in_small_letters(heading) == name)
      return {app.get_description(), app.get_name() + " [OPTIONS]", {group_of(heading)}, all, ""};
  std::vector<std::string> known;
  for (const help_topic& t : topics) {
    known.push_back(t.name);
    if (t.name != name) continue;
    help_group own{"Options of " + name, {}};
    for (const topic_option& o : t.options) {
      own.entries.push_back(entry_of(*app.get_option(o.name)));
      own.entries.back().help = o.help;
      if (!o.placeholder.empty()) own.entries.back().placeholder = o.placeholder;
      if (!o.shown.empty()) own.entries.back().otherwise = o.shown;
    }
    const std::string none = t.options.empty() ? name + " has no options of its own. " : "";
    return {name + " learns " + t.summary + ".",
            app.get_name() + " [OPTIONS]",
            {own},
            none + "'" + app.get_name() + " --help-all' shows the options that all models have.",
            ""};
  }
  throw CLI::ParseError("--help: " + quote(name) + " is none of " + list_of(known), CLI::ExitCodes::InvalidError);
}

command_line::command_line(const std::string& command, const std::string& purpose, const std::string& example)
    : parser_(std::make_unique<parser>(command, purpose, example)) {
  parser_->app.set_help_flag("-h,--help", "show this help");
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
  added->type_name(placeholder)->group(parser_->group);
  if (!shown.empty()) added->default_str(shown);
}

void command_line::option(const std::string& name, std::string& value, const std::string& help) {
  option(name, "FILE", value, help);
}

void command_line::option(const std::string& name, const std::string& placeholder, std::string& value,
                          const std::string& help) {
  option(name, placeholder, value, help, [&value](const std::string& text) -> std::string {
    value = text;
    return fault_of_name(text);
  });
}

void command_line::option(const std::string& name, double& value, const std::string& help) {
  option(name, "X", shown_number(value), help, number_setter(value));
}

void command_line::option(const std::string& name, std::uint64_t& value, const std::string& help) {
  option(name, "N", std::to_string(value), help, count_setter(value));
}

void command_line::option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& help) {
  option(name, "N", "", help, count_setter(value));
}

void command_line::option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& shown,
                          const std::string& help) {
  option(name, "SIZE", shown, help, [&value](const std::string& text) -> std::string {
    value = to_bytes(text);
    return value ? "" : quote(text) + " is no size; write bytes, or 512M, or 2G";
  });
}

void command_line::options(const std::string& name, const std::string& placeholder, std::vector<std::string>& values,
                           const std::string& help) {
  const auto store = [name, &values](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (const std::string fault = fault_of_name(text); !fault.empty()) throw CLI::ValidationError(name, fault);
      values.push_back(text);
    }
  };
  auto* const added = parser_->app.add_option_function<std::vector<std::string>>(name, store, help);
  added->type_name(placeholder)->group(parser_->group)->allow_extra_args(false);
}

void command_line::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, help)->group(parser_->group);
}

void command_line::flag(const std::string& name, const std::string& help, std::function<void(bool)> set) {
  parser_->app
      .add_flag_function(
          name, [set = std::move(set)](std::int64_t count) { set(count > 0); }, help)
      ->group(parser_->group);
}

void command_line::group(const std::string& heading) {
  parser_->group = heading;
}

void command_line::show_first(const std::vector<std::string>& names) {
  parser_->first = names;
  parser_->app.set_help_all_flag("--help-all", "show all options");
}

void command_line::topic(const std::string& name, const std::string& summary,
                         const std::vector<topic_option>& options) {
  for (const topic_option& o : options) parser_->app.get_option(o.name)->group("");
  parser_->topics.push_back({name, summary, options});
}

std::string command_line::help_of(const std::string& name) const {
  return parser_->app.get_option(name)->get_description();
}

void command_line::describe(const std::string& name, const std::string& help) {
  parser_->app.get_option(name)->description(help);
}

void command_line::hide(const std::string& name) {
  parser_->app.get_option(name)->group("");
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

bool command_line::has(const std::string& name) const {
  return parser_->app.get_option_no_throw(name) != nullptr;
}

std::string command_line::name_of(const std::string& name) const {
  return "--" + parser_->app.get_option(name)->get_lnames().front();
}

bool command_line::takes_count(const std::string& name) const {
  return parser_->app.get_option(name)->get_type_name() == "N";
}

std::vector<command_line::given_text> command_line::given_texts() const {
  std::vector<given_text> all;
  for (const CLI::Option* const o : parser_->app.get_options()) {
    if (o->count() == 0 || o->get_positional()) continue;
    for (const std::string& text : o->results()) all.push_back({"--" + o->get_lnames().front(), text});
  }
  return all;
}

bool command_line::given(const std::string& name) const {
  return parser_->app.count(name) > 0;
}

namespace {

/// An option of earlier versions, and what it became. An option that means something else today has the value that it
/// took then.
struct former_option {
  std::string_view name, value;
  const char* became;
};
constexpr former_option former_options[] = {{"--rank", "", "it is --factors"},
                                            {"--overlap", "", "it did not pay; leave it out"},
                                            {"--memory", "device", "it is --device-memory device"},
                                            {"--memory", "pinned", "it is --device-memory pinned"},
                                            {"--memory", "managed", "it is --device-memory managed"}};

/// The sentence for an error in these words.
std::string sentence_of(const CLI::ParseError& fault, const CLI::App& app, const std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    const std::string name = word->substr(0, word->find('='));
    const auto next = std::next(word);
    const std::string value = name != *word ? word->substr(name.size() + 1) : next != words.end() ? *next : "";
    for (const former_option& former : former_options)
      if (former.name == name && (former.value.empty() ? !app.get_option_no_throw(name) : former.value == value))
        return name + (former.value.empty() ? "" : " " + value) + " is an option of earlier versions: " + former.became;
  }
  return fault.what();
}

}  // namespace

std::optional<int> command_line::parse(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv, argv + argc);
  try {
    if (const auto topic = parser_->topic_in(words)) {
      print(text_of(parser_->page_of(*topic)));
      return 0;
    }
    parser_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    print(text_of(parser_->page()));
    return 0;
  } catch (const CLI::CallForAllHelp&) {
    print(text_of(parser_->page_of_all()));
    return 0;
  } catch (const CLI::ParseError& e) {
    let_first_rank_tell();
    const std::string command = parser_->app.get_name();
    std::fprintf(stderr, "%s: %s\n'%s --help' shows what it takes.\n", command.c_str(),
                 printable(sentence_of(e, parser_->app, words)).c_str(), command.c_str());
    return static_cast<int>(exit_code::usage);
  }
}

void command_line::take(std::vector<std::string> words) {
  try {
    parser_->app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 expects them
  } catch (const CLI::ParseError& e) {
    throw config_error(sentence_of(e, parser_->app, words));
  }
}

std::optional<double> to_number(std::string_view text) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || rest != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> to_count(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> to_bytes(std::string_view text) {
  constexpr std::string_view units = "KMG";
  unsigned shift = 0;
  if (!text.empty())
    if (const std::size_t unit = units.find(text.back()); unit != units.npos) {
      shift = 10 * static_cast<unsigned>(unit + 1);
      text.remove_suffix(1);
    }
  const auto number = to_count(text);
  if (!number || *number << shift >> shift != *number) return std::nullopt;
  return *number << shift;
}

}  // namespace hogwild::cli
