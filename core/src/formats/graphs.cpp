// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/graphs.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>

#include "data/row_format.hpp"
#include "graph_rows.hpp"
#include "text/input_stream.hpp"

namespace hogwild {
namespace {

std::unique_ptr<detail::parsed_text> read(const std::string& path, const graph_options& how,
                                          const open_options& options) {
  const std::string name = path == "-" ? "standard input" : path;
  const std::string text = detail::read_unpacked(path, detail::text_look(name));
  const detail::graph g = detail::read_graph(text, name, how.format);
  const std::vector<bool> terminals =
      options.numbering == nullptr ? draw_terminals(g, how) : unknown_terminals(g, *options.numbering);
  if (options.numbering != nullptr) require_known(g, terminals, *options.numbering, name);
  return options.labels_optional ? node_rows(g, terminals, text.size(), name) : edge_rows(g, terminals, name);
}

std::uint64_t digest_of(const graph_options& how) {
  const double fraction = how.terminals.value_or(graph_options::usual_terminals);
  // Whether terminals or a seed were given is part of the key: some texts refuse them, and a cache must not hide that.
  const std::array<std::uint64_t, 5> parts{
      static_cast<std::uint64_t>(how.format), std::bit_cast<std::uint64_t>(fraction),
      how.seed.value_or(graph_options::usual_seed), how.terminals.has_value(), how.seed.has_value()};
  return detail::checksum(std::span<const std::uint64_t>(parts));
}

}  // namespace

std::size_t count_nodes(std::span<const std::uint32_t> original) {
  return static_cast<std::size_t>(std::ranges::partition_point(original, is_node_column) - original.begin());
}

std::size_t count_sides(std::span<const std::uint32_t> original, const label_column& labels) {
  std::size_t sides = 2;
  for (const std::uint32_t column : original)
    if (!is_node_column(column)) sides = std::max<std::size_t>(sides, side_of_terminal(column) + 1);
  for (const double label : labels)
    if (label < most_sides) sides = std::max(sides, static_cast<std::size_t>(label - no_side));
  return sides;
}

sparse_dataset open_graph(const std::string& path, const graph_options& graph, const open_options& options) {
  return detail::open_rows(path, options,
                           {.kind = detail::input_format::graph,
                            .by_kind = true,
                            .keep_entry_order = true,
                            .whole = [&](const std::string& name) { return read(name, graph, options); },
                            .companions = digest_of(graph)});
}

}  // namespace hogwild
