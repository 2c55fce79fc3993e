// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/edges.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <new>
#include <numeric>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/data/sampler.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/notes.hpp>

#include "data/dataset_writer.hpp"
#include "data/ingest.hpp"
#include "data/narrowing.hpp"
#include "data/writable_arrays.hpp"
#include "text/decimal.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "words/word_blocks.hpp"
#include "words/word_table.hpp"

namespace hogwild {
namespace {

/// From the node u to the node v; nodes have numbers.
struct arc {
  std::uint32_t u, v;
  float weight;

  std::pair<std::uint32_t, std::uint32_t> ends() const { return {u, v}; }
};

/// The fields of a line, as far as three are wanted, and one more.
struct edge_fields {
  std::array<std::string_view, 4> text{};
  std::size_t count = 0;

  explicit edge_fields(std::string_view line) {
    constexpr std::string_view separators = " \t,;\r";
    for (std::size_t at = 0; count < text.size(); ++count) {
      at = line.find_first_not_of(separators, at);
      if (at == line.npos) return;
      const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
      text[count] = line.substr(at, end - at);
      at = end;
    }
  }
};

bool read_number(std::string_view text, double& number) {
  return detail::read_decimal(text.data(), text.data() + text.size(), number) == detail::number_fault::none;
}

/// Whether the line, the first that is no comment, names the fields.
bool is_edge_header(const edge_fields& fields) {
  if (fields.count == 3) {
    const std::string_view text = fields.text[2];
    double weight = 0.0;
    // std::from_chars knows those that are not finite: they are wrong weights.
    return !read_number(text, weight) &&
           std::from_chars(text.data(), text.data() + text.size(), weight).ec != std::errc();
  }
  constexpr std::pair<std::string_view, std::string_view> ends[] = {
      {"source", "target"}, {"from", "to"}, {"src", "dst"},  {"node1", "node2"},
      {"node_1", "node_2"}, {"id1", "id2"}, {"id_1", "id_2"}};
  const auto is = [](std::string_view text, std::string_view word) {
    return std::ranges::equal(text, word, {}, [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  };
  return std::ranges::any_of(
      ends, [&](const auto& words) { return is(fields.text[0], words.first) && is(fields.text[1], words.second); });
}

class edge_reading {
 public:
  edge_reading(std::string_view text, const std::string& name, const edge_options& options)
      : text_(detail::without_mark(text)), name_(name), options_(options) {}

  corpus run() {
    detail::require_words(text_, name_, "edges of a graph", "name the file of edges");
    read_lines();
    if (arcs_.empty()) throw input_error(name_ + ": the graph has no edge");
    merge();
    const std::vector<std::uint32_t> position = number_nodes();
    for (arc& a : arcs_) a.u = position[a.u], a.v = position[a.v];
    std::ranges::sort(arcs_, {}, &arc::ends);
    return {write(), words_};
  }

 private:
  void read_lines() {
    for (std::string_view left = text_; !left.empty(); ++line_) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      const std::string_view line = left.substr(0, end);
      left.remove_prefix(std::min(end + 1, left.size()));
      const edge_fields fields(line);
      if (fields.count == 0 || fields.text[0].front() == '#' || fields.text[0].front() == '%') continue;
      if (std::exchange(first_, false) && is_edge_header(fields)) {
        note("line " + std::to_string(line_) + " is a header, and no edge");
        continue;
      }
      read_edge(line, fields);
    }
  }

  void read_edge(std::string_view line, const edge_fields& fields) {
    const auto refuse = [&](std::size_t field, const std::string& why) {
      const std::string_view at = fields.text[field];
      const std::size_t column = at.empty() ? line.size() : static_cast<std::size_t>(at.data() - line.data());
      throw format_error(name_, line_, column + 1, why);
    };
    if (fields.count < 2) refuse(1, "an edge has two nodes, and perhaps a weight: write 'u v' or 'u v weight'");
    if (fields.count > 3)
      refuse(3,
             "an edge has two nodes, and perhaps a weight; write each edge on a line of its own, 'u v' or 'u v "
             "weight', and names without blanks, commas and semicolons");
    if (fields_ == 0) fields_ = fields.count, first_line_ = line_;
    if (fields.count != fields_)
      refuse(2, std::string(fields.count == 3 ? "the line has a weight" : "the line has no weight") + ", but line " +
                    std::to_string(first_line_) + (fields_ == 3 ? " has one" : " has none"));
    for (std::size_t f = 0; f < 2; ++f) {
      const std::string_view node = fields.text[f];
      if (node.size() > detail::longest_word) refuse(f, "a name of more than 1000 bytes begins here; is this a graph?");
      if (std::ranges::any_of(node, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
        refuse(f, "there is a control character in the name " + quote(node));
    }
    arc a{nodes_.insert(fields.text[0]), nodes_.insert(fields.text[1]), 1.0f};
    if (fields.count == 3) {
      const std::string_view text = fields.text[2];
      double weight = 0.0;
      const bool is_number = read_number(text, weight);
      a.weight = static_cast<float>(weight);
      if (!is_number || !(a.weight > 0.0f) || !std::isfinite(a.weight))
        refuse(2, "the weight of an edge is a number above 0, finite in single precision, not " + quote(text));
    }
    if (!options_.directed && a.v < a.u) std::swap(a.u, a.v);
    arcs_.push_back(a);
  }

  /// Makes repeated edges one, and gives undirected ones their second direction.
  void merge() {
    std::ranges::stable_sort(arcs_, {}, &arc::ends);  // equal ends stay in the order of the text: sums round alike
    std::size_t kept = 0;
    for (const arc& a : arcs_) {
      if (kept == 0 || arcs_[kept - 1].ends() != a.ends())
        arcs_[kept++] = a;
      else if (fields_ == 3)
        arcs_[kept - 1].weight += a.weight;
    }
    if (kept < arcs_.size())
      note(std::to_string(arcs_.size() - kept) + " of " + std::to_string(arcs_.size()) + " edges repeat others" +
           (fields_ == 3 ? ": their weights are added" : ", and do not count"));
    arcs_.resize(kept);
    for (const arc& a : arcs_)
      if (!std::isfinite(a.weight)) throw input_error(name_ + ": the weights of a repeated edge have no finite sum");
    if (options_.directed) return;
    for (std::size_t k = 0; k < kept; ++k)
      if (arcs_[k].u != arcs_[k].v) arcs_.push_back({arcs_[k].v, arcs_[k].u, arcs_[k].weight});
  }

  /// Orders nodes by the number of rows that have them: their own, and those from which an edge leads to them. Returns
  /// their positions.
  std::vector<std::uint32_t> number_nodes() {
    std::vector<vocabulary::counted_word> counted;
    for (std::size_t n = 0; n < nodes_.size(); ++n) counted.push_back({nodes_.word(n), 1});
    for (const arc& a : arcs_)
      if (a.u != a.v) ++counted[a.v].count;
    words_ = vocabulary(counted);
    std::vector<std::uint32_t> position;
    for (const auto& node : counted) position.push_back(*words_.find(node.word));
    return position;
  }

  sparse_dataset write() const {
    const std::size_t nodes = words_.size();
    std::vector<std::size_t> begin(nodes + 1);  // of each node's arcs
    std::vector<float> to_itself(nodes);
    for (const arc& a : arcs_) ++begin[a.u + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const arc& a : arcs_)
      if (a.u == a.v) to_itself[a.u] = a.weight;
    const auto loops = static_cast<std::size_t>(std::ranges::count_if(to_itself, [](float w) { return w > 0.0f; }));

    detail::cache_header sizes;
    sizes.rows = sizes.columns = sizes.first_singleton = nodes;
    sizes.nonzeros = nodes + arcs_.size() - loops;
    sizes.rows_per_block = detail::rows_per_block(sizes.rows, sizes.nonzeros);
    sizes.label_values = 1;
    sizes.kind = detail::input_format::corpus;  // a row's columns are words here, too
    sizes.value_bytes = fields_ == 3 ? 4 : 2;
    detail::narrow_indices(sizes);
    detail::dataset_writer file = detail::dataset_writer::in_memory(sizes);
    const detail::writable_arrays to(file.arrays());

    std::vector<std::uint32_t> original(nodes), degree(nodes);
    std::iota(original.begin(), original.end(), 0u);
    std::ranges::transform(words_.counts(), degree.begin(),
                           [](std::uint64_t n) { return static_cast<std::uint32_t>(n); });
    to.columns(original, degree);
    to.label_table[0] = 0.0;
    std::ranges::fill(to.label_code, std::uint8_t{0});
    std::uint64_t entry = 0;
    const auto put = [&](std::uint32_t column, float value) {
      to.index16.empty() ? to.index[entry] = column : to.index16[entry] = static_cast<std::uint16_t>(column);
      if (to.value16.empty())
        to.value[entry] = value;
      else
        to.value16[entry] = to_half(value);
      ++entry;
    };
    const feistel_permutation order(nodes, 0x6e6f646573, 0);
    for (std::size_t r = 0; r < nodes; ++r) {
      const auto node = static_cast<std::uint32_t>(order(r));
      to.start_row(r, entry);
      put(node, to_itself[node]);
      for (const arc& a : std::span(arcs_).subspan(begin[node], begin[node + 1] - begin[node]))
        if (a.v != node) put(a.v, a.weight);
    }
    to.start_row(nodes, entry);
    for (std::uint64_t block = 0; block < sizes.blocks(); ++block)
      file.seal_block(block, file.arrays().row_start[std::min((block + 1) * sizes.rows_per_block, sizes.rows)]);
    return std::move(file).finish();
  }

  void note(const std::string& sentence) const {
    const std::string told = printable(name_ + ": " + sentence);
    options_.note ? options_.note(told) : note_by_default(told);
  }

  std::string_view text_;
  const std::string& name_;
  const edge_options& options_;
  detail::word_table nodes_;
  std::vector<arc> arcs_;
  vocabulary words_;
  bool first_ = true;                                   ///< no line but comments has been read
  std::size_t line_ = 1, first_line_ = 0, fields_ = 0;  ///< the first edge's line, and the fields of all
};

}  // namespace

corpus read_edges(std::string_view text, const std::string& name, const edge_options& options) {
  try {
    return edge_reading(text, name, options).run();
  } catch (const std::bad_alloc&) {
    throw resource_error(name + ": there is not enough memory to read it");
  }
}

corpus open_edges(const std::string& path, const edge_options& options) {
  const std::string name = path == "-" ? "standard input" : path;
  return read_edges(detail::read_unpacked(path, detail::text_look(name)), name, options);
}

}  // namespace hogwild
