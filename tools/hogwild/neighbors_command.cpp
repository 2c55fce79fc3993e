// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <hogwild/detail/embeddings/nearest_rows.hpp>
#include <hogwild/detail/embeddings/row_index.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "name_files.hpp"
#include "named_rows.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

struct neighbors_request {
  std::string model, name, of;
  bool by_index = false;
  std::uint64_t top = 10;
  bool json = false, quiet = false;
};

/// The rows that are asked about, and whether a file names them.
struct asked_rows {
  std::vector<std::uint32_t> rows;
  bool of_file;
};

asked_rows asked_of(const neighbors_request& request, named_rows& rows) {
  if (const auto one = rows.find(request.name)) return {{*one}, false};
  std::error_code unknown;
  if (request.name != "-" && !std::filesystem::exists(request.name, unknown)) {
    if (const auto made = rows.find_or_make(request.name)) return {{*made}, false};
    throw input_error(request.model + " has no " + rows.kind() + " " + quote(request.name) +
                      ", and there is no file of that name with one a line");
  }
  const auto find = [&](const std::string& name) { return rows.find_or_make(name); };
  return {read_names(request.name, rows.kind(), request.model, find, request.quiet), true};
}

/// A line for each neighbour of one row; `told`: the row's own name stands before them.
std::string lines_of(const neighbors_request& request, const named_rows& rows, std::uint32_t row, bool told,
                     std::span<const scored_target> nearest) {
  const bool shown = prints_to_a_terminal();
  const auto text_of = [&](std::uint32_t r) { return shown ? printable(rows.name(r)) : rows.name(r); };
  std::string text;
  for (const scored_target& near : nearest) {
    if (request.json) {
      const nlohmann::ordered_json line = {
          {"of", rows.json_of(row)}, {rows.kind(), rows.json_of(near.target)}, {"cosine", near.score}};
      text += json_text(line) + '\n';
    } else {
      text += (told ? text_of(row) + '\t' : "") + text_of(near.target) +
              formatted("\t%.4f\n", static_cast<double>(near.score));
    }
  }
  return text;
}

/// The index beside the model, which is made where it is missing, or of other vectors.
row_index index_of(const neighbors_request& request, const named_rows& rows) {
  if (request.model == "-")
    throw config_error("--index keeps a file beside the model, and standard input has no place: name a file");
  row_index index(rows.values(), rows.width(), rows.unseen());
  const std::string path = request.model + (rows.kind() == "word" ? "" : "." + rows.kind() + "s") + ".hnsw";
  std::error_code unknown;
  std::string why = "there is none";
  if (std::filesystem::exists(std::filesystem::symlink_status(path, unknown))) why = index.read(path);
  if (why.empty()) return index;
  atomic_file::look(path);
  const auto begun = std::chrono::steady_clock::now();
  index.build();
  index.write(path);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (!request.quiet) say(path + " is built, since " + why + formatted(": %.1f s", seconds));
  return index;
}

/// Says how much of what the exact search finds for some rows the index finds, too.
void tell_recall(const row_index& index, const nearest_rows& exact, std::size_t rows, std::size_t top) {
  constexpr std::size_t most = 200;
  std::vector<std::uint32_t> sample(std::min(most, rows));
  for (std::size_t k = 0; k < sample.size(); ++k) sample[k] = static_cast<std::uint32_t>(k * rows / sample.size());
  const auto wanted = exact.of(sample, top), found = index.of(sample, top);
  std::size_t all = 0, hits = 0;
  for (std::size_t k = 0; k < sample.size(); ++k) {
    // Of equally near ones either is right.
    const float least = wanted[k].empty() ? 0.0f : wanted[k].back().score;
    const auto near = [&](const scored_target& t) { return t.score >= least - 1e-6f; };
    all += wanted[k].size();
    hits += static_cast<std::size_t>(std::ranges::count_if(found[k], near));
  }
  if (all > 0)
    say(formatted("the index finds %.4f of the %zu nearest, on %zu of %zu vectors",
                  static_cast<double>(hits) / static_cast<double>(all), top, sample.size(), rows));
}

}  // namespace

int neighbors_command(int argc, const char* const* argv) {
  neighbors_request request;
  command_line line(
      "neighbors",
      "Finds the users, items, words or documents whose vectors have the largest cosine with that of one of them,\n"
      "nearest first: one line a neighbour, with the cosine. Those of a file are found together, each\n"
      "line then begins with the name that was asked about. Words that the text did not have are\n"
      "found by their parts, in a model with --subwords that was saved as NAME.model.",
      "hogwild neighbors model.bin 196 --of users --top 5");
  line.positional("MODEL", request.model,
                  "a model of ratings or of pairs, or word vectors, that 'hogwild train --save' wrote");
  line.positional("NAME", request.name,
                  "a user, item or word by its number or name, or a file of them, one a line; '-' is standard input");
  line.choice<std::string>("--of", request.of,
                           {{"items", "items"}, {"users", "users"}, {"documents", "documents"}, {"words", "words"}},
                           "which NAME is, in models that have users and items (default: items) or documents and words "
                           "(default: documents)");
  line.option("--top", request.top, "number of neighbours");
  line.choice<bool>("--index", request.by_index, {{"exact", false}, {"hnsw", true}},
                    "exact: look at all vectors; hnsw: find most of the nearest by an index, which is kept in a file "
                    "beside MODEL, and say how many of them it finds");
  line.flag("--json", request.json, "one JSON object a line");
  line.flag("--quiet", request.quiet, "say nothing about unknown names");
  if (const auto code = line.parse(argc, argv)) return *code;
  const interrupt signals({.ended = ended_at_once});

  named_rows rows(request.model, request.of);
  const asked_rows asked = asked_of(request, rows);
  const auto index = request.by_index ? std::optional(index_of(request, rows)) : std::nullopt;
  std::optional<nearest_rows> exact;
  if (!index || !request.quiet) exact.emplace(rows.values(), rows.width(), rows.unseen());
  if (index && exact) tell_recall(*index, *exact, rows.values().size() / rows.width() - rows.unseen(), request.top);
  constexpr std::size_t at_once = 4096;  // neighbours that are held before they are printed
  for (std::size_t first = 0; first < asked.rows.size(); first += at_once) {
    const auto some = std::span(asked.rows).subspan(first, std::min(at_once, asked.rows.size() - first));
    const auto found = index ? index->of(some, request.top) : exact->of(some, request.top);
    std::string text;
    for (std::size_t k = 0; k < some.size(); ++k) text += lines_of(request, rows, some[k], asked.of_file, found[k]);
    print(text);
  }
  return 0;
}

}  // namespace hogwild::cli
