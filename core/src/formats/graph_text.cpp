// SPDX-License-Identifier: Apache-2.0
#include "graph_rows.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "text/decimal.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {
namespace {

constexpr double largest_capacity = 1e30;  // so that sums of capacities stay finite in single precision

bool parts_fields(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Iterates over the lines of a text and their fields.
class line_reader {
 public:
  line_reader(std::string_view text, const std::string& name, char comment)
      : rest_(text), name_(name), comment_(comment) {}

  /// Goes to the next line that is neither blank nor a comment; false after the last one.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = fields_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      skip_blanks();
      if (!fields_.empty() && !is_comment()) return true;
    }
    return false;
  }

  /// The next field; empty at the end of the line.
  std::string_view field() {
    skip_blanks();
    last_ = column();
    std::size_t n = 0;
    while (n < fields_.size() && !parts_fields(fields_[n])) ++n;
    const std::string_view found = fields_.substr(0, n);
    fields_.remove_prefix(n);
    return found;
  }

  /// A whole number from `least` to `most`.
  std::int64_t whole(const char* what, std::int64_t least, std::int64_t most) {
    const std::string_view text = field();
    if (text.empty()) refuse("the line ends where " + std::string(what) + " is expected");
    std::int64_t n = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool digits = stop == text.data() + text.size() && fault != std::errc::invalid_argument;
    if (!digits) refuse(std::string(what) + " is a whole number, not " + quote(text));
    if (fault == std::errc::result_out_of_range || n < least || n > most)
      refuse(std::string(what) + " is " + quote(text) + ", but must be from " + std::to_string(least) + " to " +
             std::to_string(most));
    return n;
  }

  double capacity() {
    const std::string_view text = field();
    if (text.empty()) refuse("the line ends where the capacity is expected; write 'a FROM TO CAPACITY'");
    double c = 0;
    if (read_decimal(text.data(), text.data() + text.size(), c) != number_fault::none)
      refuse("the capacity " + quote(text) + " is not a finite number");
    if (c < 0.0 || c > largest_capacity) refuse("the capacity " + quote(text) + " does not lie between 0 and 1e30");
    return c;
  }

  void end_line() {
    if (const std::string_view text = field(); !text.empty() && text.front() != '#')
      refuse("there is " + quote(text) + " where the line should end");
  }

  [[noreturn]] void refuse(const std::string& message) const { throw format_error(name_, number_, last_, message); }
  /// Reports a fault of the text as a whole, at its end.
  [[noreturn]] void refuse_end(const std::string& message) const { throw format_error(name_, number_ + 1, 1, message); }

 private:
  std::size_t column() const { return static_cast<std::size_t>(fields_.data() - line_.data()) + 1; }
  void skip_blanks() {
    while (!fields_.empty() && parts_fields(fields_.front())) fields_.remove_prefix(1);
  }
  /// Only a 'c' alone begins a comment: other lines may begin with a word.
  bool is_comment() const {
    return fields_.front() == comment_ && (comment_ == '#' || fields_.size() == 1 || parts_fields(fields_[1]));
  }

  std::string_view rest_, line_{}, fields_{};
  const std::string& name_;
  char comment_;
  std::size_t number_ = 0, last_ = 1;
};

class dimacs_reader {
 public:
  dimacs_reader(std::string_view text, const std::string& name) : lines_(text, name, 'c') { graph_.first = 1; }

  graph read() {
    while (lines_.next()) {
      const std::string_view kind = lines_.field();
      if (kind != "p" && !arcs_)
        lines_.refuse("the text begins with " + quote(kind) +
                      "; the first line that is no comment is 'p max NODES ARCS'");
      if (kind == "p")
        read_problem();
      else if (kind == "n")
        read_terminal();
      else if (kind == "a")
        read_arc();
      else
        lines_.refuse("a line begins with c, p, n or a, not with " + quote(kind));
      lines_.end_line();
    }
    finish();
    return std::move(graph_);
  }

 private:
  std::uint32_t node() { return static_cast<std::uint32_t>(lines_.whole("the node", 1, graph_.nodes)); }

  void read_problem() {
    if (arcs_) lines_.refuse("this is the second line 'p'; there is one");
    if (const std::string_view what = lines_.field(); what != "max")
      lines_.refuse("the problem is " + quote(what) + "; this reads 'p max NODES ARCS'");
    graph_.nodes = static_cast<std::uint32_t>(lines_.whole("the number of nodes", 2, largest_node));
    arcs_ = lines_.whole("the number of arcs", 0, std::int64_t{1} << 40);
  }

  void read_terminal() {
    const std::uint32_t at = node();
    const std::string_view which = lines_.field();
    if (which != "s" && which != "t") lines_.refuse("a node is 's', the source, or 't', the sink, not " + quote(which));
    const std::uint32_t side = which == "s" ? 0 : 1;
    for (const auto& known : graph_.sides) {
      if (known.side == side) lines_.refuse("this is the second " + std::string(side == 0 ? "source" : "sink"));
      if (known.node == at) lines_.refuse("node " + std::to_string(at) + " is source and sink");
    }
    graph_.sides.push_back({at, side});
  }

  void read_arc() {
    if (static_cast<std::int64_t>(graph_.edges.size()) == *arcs_)
      lines_.refuse("there are more arcs than the " + std::to_string(*arcs_) + " of the line 'p'");
    const std::uint32_t from = node(), to = node();
    graph_.edges.push_back({from, to, lines_.capacity(), 0.0});
  }

  void finish() {
    if (!arcs_) lines_.refuse_end("there is no line 'p max NODES ARCS'");
    if (static_cast<std::int64_t>(graph_.edges.size()) < *arcs_)
      lines_.refuse_end("the text ends after " + std::to_string(graph_.edges.size()) + " arcs, but the line 'p' says " +
                        std::to_string(*arcs_));
    if (graph_.sides.size() < 2) lines_.refuse_end("there is no line 'n NODE s', or none 'n NODE t'");
    std::ranges::sort(graph_.sides, {}, &graph::labelled_node::node);
  }

  line_reader lines_;
  graph graph_{};
  std::optional<std::int64_t> arcs_{};
};

class labelled_reader {
 public:
  labelled_reader(std::string_view text, const std::string& name) : lines_(text, name, '#') { graph_.labelled = true; }

  graph read() {
    if (!lines_.next()) lines_.refuse_end("there is no line 'NODES EDGES CLASSES'");
    graph_.nodes = static_cast<std::uint32_t>(lines_.whole("the number of nodes", 1, largest_node));
    const std::int64_t edges = lines_.whole("the number of edges", 0, std::int64_t{1} << 40);
    classes_ = lines_.whole("the number of classes", 2, most_sides);
    lines_.end_line();
    std::int64_t nodes = 0;
    while (lines_.next()) {
      const std::string_view kind = lines_.field();
      if (kind == "v" && nodes < graph_.nodes) {
        read_node(), ++nodes;
      } else if (kind == "e" && static_cast<std::int64_t>(graph_.edges.size()) < edges) {
        const std::uint32_t u = node(), v = node();
        graph_.edges.push_back({u, v, 1.0, 1.0});
      } else {
        lines_.refuse(kind == "v" || kind == "e" ? "there are more lines " + quote(kind) + " than the first line says"
                                                 : "a line begins with v or e, not with " + quote(kind));
      }
      lines_.end_line();
    }
    finish(nodes, edges);
    return std::move(graph_);
  }

 private:
  std::uint32_t node() {
    return static_cast<std::uint32_t>(lines_.whole("the node", 0, std::int64_t{graph_.nodes} - 1));
  }

  void read_node() {
    const std::uint32_t at = node();
    const std::int64_t side = lines_.whole("the class", -1, classes_ - 1);
    if (side >= 0) graph_.sides.push_back({at, static_cast<std::uint32_t>(side)});
  }

  void finish(std::int64_t nodes, std::int64_t edges) {
    if (nodes < graph_.nodes || static_cast<std::int64_t>(graph_.edges.size()) < edges)
      lines_.refuse_end("the text ends after " + std::to_string(nodes) + " of " + std::to_string(graph_.nodes) +
                        " nodes and " + std::to_string(graph_.edges.size()) + " of " + std::to_string(edges) +
                        " edges");
    std::ranges::stable_sort(graph_.sides, {}, &graph::labelled_node::node);
    const auto twice = std::ranges::adjacent_find(graph_.sides, {}, &graph::labelled_node::node);
    if (twice != graph_.sides.end())
      lines_.refuse_end("node " + std::to_string(twice->node) +
                        " has two lines 'v', so another node has none: give each node one");
  }

  line_reader lines_;
  graph graph_{};
  std::int64_t classes_ = 0;
};

/// A labelled graph's first line consists of numbers, or is a comment of this format.
bool is_labelled(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '#' || is_digit(text[first]));
}

}  // namespace

graph read_graph(std::string_view text, const std::string& name, graph_format format) {
  require_kind(text, "graph", name);
  const bool labelled = format == graph_format::labelled || (format == graph_format::automatic && is_labelled(text));
  return labelled ? labelled_reader(text, name).read() : dimacs_reader(text, name).read();
}

}  // namespace hogwild::detail
