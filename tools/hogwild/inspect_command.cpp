// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/exports/exported_model.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/names.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"
#include "table_options.hpp"

namespace hogwild::cli {
namespace {

using facts = nlohmann::ordered_json;

/// Of more different labels the commonest are shown, and of more than can be classes of one model none.
constexpr std::size_t most_labels_shown = 32, most_labels_counted = 1'048'576, commonest_shown = 10;

void add_labels(const label_column& labels, facts& all) {
  std::map<double, std::size_t> counts;
  if (labels.lists()) {
    std::size_t listed = 0;
    for (std::size_t r = 0; r < labels.size(); ++r) listed += labels.list(r).size();
    const auto table = labels.table();
    all["labels"] = {{"lists", listed}, {"different", table.size()}, {"least", table.front()}, {"most", table.back()}};
    return;
  }
  for (const double label : labels) {
    ++counts[label];
    if (counts.size() <= most_labels_counted) continue;
    const auto [least, most] = std::ranges::minmax(labels);
    all["labels"] = {{"least", least}, {"most", most}};
    return;
  }
  std::vector<std::pair<double, std::size_t>> shown(counts.begin(), counts.end());
  const bool many = shown.size() > most_labels_shown;
  if (many) {
    std::ranges::stable_sort(shown, std::greater<>(), &std::pair<double, std::size_t>::second);
    shown.resize(commonest_shown);
    all["labels"] = {{"different", counts.size()}, {"least", counts.begin()->first}, {"most", counts.rbegin()->first}};
  }
  facts& list = all[many ? "commonest_labels" : "labels"];
  for (const auto& [label, rows] : shown) {
    facts one = {{"label", label}, {"rows", rows}};
    if (label >= 0 && label < static_cast<double>(labels.words().size()))
      one["text"] = labels.words()[static_cast<std::size_t>(label)];
    list.push_back(one);
  }
}

facts cache_facts(const std::string& path, bool verify) {
  const sparse_dataset data = sparse_dataset::map(path);
  if (verify) data.verify();
  const sparse_view rows = data.view();
  facts all = {{"kind", "dataset cache"},
               {"rows", data.rows()},
               {"features", data.features()},
               {"nonzeros", data.nonzeros()},
               {"unknown_entries", data.unknown_entries()}};
  std::error_code gone;
  const std::uintmax_t bytes = std::filesystem::file_size(path, gone);
  if (gone) throw input_error(path + ": cannot be read: " + gone.message());
  all["bytes"] = bytes;
  if (data.nonzeros() > 0) {
    all["bytes_per_nonzero"] = static_cast<double>(bytes) / static_cast<double>(data.nonzeros());
    all["index_bits"] = rows.has_narrow_index() ? 16 : 32;
    all["value_bits"] = rows.has_narrow_value() ? 16 : 32;
    all["values_rounded"] = data.values_rounded();
  }
  if (rows.image.known()) all["images"] = name_of(rows.image);
  add_labels(rows.label, all);
  if (verify) all["verified"] = true;
  return all;
}

/// An option of the model as users give it: saved options are real numbers, and `rank` is called --factors.
void put_option(facts& into, const std::string& saved_as, double value) {
  const std::string name = saved_as == "rank" ? "factors" : saved_as;
  if (std::abs(value) < 1e15 && std::trunc(value) == value)
    into[name] = static_cast<std::int64_t>(value);
  else
    into[name] = value;
}

/// The columns with the largest weights, of several weights by the root of the sum of squares.
facts heaviest(const saved_model& m, const std::optional<table_schema>& schema, std::size_t count) {
  std::vector<double> size(m.columns.size());
  for (std::size_t k = 0; k < size.size(); ++k)
    for (const float w : m.row(k)) size[k] += static_cast<double>(w) * static_cast<double>(w);
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(count),
      [&](std::size_t a, std::size_t b) { return size[a] > size[b] || (size[a] == size[b] && a < b); });
  order.resize(count);
  facts all = facts::array();
  for (const std::size_t k : order) {
    facts weights = facts::array();
    // With the digits of single precision.
    for (const float w : m.row(k)) weights.push_back(std::strtod(detail::to_text(w).c_str(), nullptr));
    all.push_back({{"name", detail::name_of_column(m, schema, k)}, {"weights", weights}});
  }
  return all;
}

facts calibration_facts(const calibration& by) {
  facts all = {{"by", name_of(by.kind)}};
  if (by.kind == calibration_kind::platt) {
    all.update({{"slope", by.slope}, {"intercept", by.intercept}});
  } else {
    all["margins"] = {{"kept", by.margins.size()}, {"least", by.margins.front()}, {"most", by.margins.back()}};
    all["probabilities"] = {{"least", by.probabilities.front()}, {"most", by.probabilities.back()}};
  }
  return all;
}

facts model_facts(const std::string& path, std::size_t top_weights) {
  const saved_model m = load_model(path, say);
  const std::optional<table_schema> schema = schema_of(m, path);
  facts all = {{"kind", "model"}, {"model", m.model}};
  const auto answer = answer_of(m);
  for (const auto& [name, value] : m.model_options)
    if (name != detail::scaling_option && (!answer || name != detail::vote_option)) put_option(all, name, value);
  if (const column_scaling scale = detail::said_scaling(m); scale != column_scaling::none)
    all["scale"] = name_of(scale);
  if (answer) {
    all["models"] = m.width;
    all["answer"] = name_of(*answer);
  }
  all["features"] = m.columns.size();
  all["parameters"] = m.weights.size() + m.bias.size();
  all["nonzero_weights"] = std::ranges::count_if(m.weights, [](float w) { return w != 0.0f; });
  // Where no model of this kind has a bias, its saved form has other parameters there.
  const model_descriptor* const known = find_model(m.model);
  if (known == nullptr || known->facts().no_bias.empty()) all["bias"] = !m.bias.empty();
  if (!m.columns.empty()) all["columns"] = {{"least", m.columns.front()}, {"most", m.columns.back()}};
  if (!m.labels.values().empty()) all["labels"] = m.labels.values();
  for (const auto& [name, rows] :
       {std::pair("quantised_columns", &m.quantised_weights), {"quantised_labels", &m.quantised_bias}})
    if (*rows)
      all[name] = {{"sub_vector", rows->part}, {"centroids", rows->choices()}, {"norms", rows->lengths.size()}};
  if (m.calibrated) all["calibration"] = calibration_facts(m.calibrated);
  if (m.state) {
    facts& state = all["state"] = {{"optimizer", m.state.optimizer}};
    for (const auto& [name, value] : m.state.numbers) put_option(state, name, value);
  }
  if (m.names_classes())
    for (const double label : m.labels.values()) all["label_names"].push_back(m.text_of_label(label));
  if (schema) all["table"] = describe(*schema);
  if (top_weights > 0) all["top_weights"] = heaviest(m, schema, top_weights);
  return all;
}

/// Not the generation before it, which a run would go on from if this one is damaged.
checkpoint checkpoint_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) throw input_error(path + ": cannot be read");
  return parse_checkpoint(std::as_bytes(std::span(bytes)), path);
}

facts checkpoint_facts(const std::string& path) {
  const checkpoint state = checkpoint_in(path);
  facts sections = facts::array();
  for (const auto& section : state.sections)
    sections.push_back({{"name", section.name}, {"bytes", section.bytes.size()}});
  facts found = {{"kind", "checkpoint"}, {"epochs", state.epoch}};
  if (const auto measured = measured_epoch_of_checkpoint(state)) found["measured_epoch"] = *measured;
  found["sections"] = sections;
  return found;
}

/// Facts about a data file that commands read, or nearly; nothing for other files.
std::optional<facts> data_facts(const file_look& look) {
  if (look.line == 0 && look.format.empty()) return std::nullopt;
  facts all = {{"kind", look.what}};
  if (!look.format.empty()) all["format"] = look.format;
  if (look.line > 0) all["seen"] = "line " + std::to_string(look.line) + ": " + quote(look.evidence);
  return all;
}

/// A report on the first rows of a table, with the kind of each column.
facts table_facts(const std::string& path, const table_options& table) {
  const table_look look = look_at_table(path, table.request);
  facts all = {{"kind", "a table"}, {"header", look.schema.header}, {"rows_looked_at", look.rows}};
  for (std::size_t c = 0; c < look.schema.columns.size(); ++c) {
    const table_column& column = look.schema.columns[c];
    facts one = {{"name", column.name},
                 {"as", name_of(column.kind)},
                 {"distinct", look.distinct[c]},
                 {"missing", look.missing[c]}};
    if (!look.least[c].empty()) one["least"] = look.least[c], one["most"] = look.most[c];
    all["columns"].push_back(one);
  }
  return all;
}

/// The items of a long list in lines of up to 100 columns, behind the name; of many the first ones.
std::string list_text(const facts& list, std::size_t margin) {
  constexpr std::size_t most_items = 40, width = 100;
  const std::size_t shown = std::min(list.size(), most_items);
  std::string text;
  std::size_t column = margin;
  const auto add = [&](const std::string& item) {
    const bool fits = column + 1 + item.size() <= width;
    if (!text.empty()) text += fits ? " " : "\n" + std::string(margin, ' ');
    column = (fits ? column + 1 : margin) + item.size();
    text += item;
  };
  for (std::size_t k = 0; k < shown; ++k) add(json_text(list[k]) + (k + 1 < list.size() ? "," : ""));
  if (shown < list.size()) add("... " + std::to_string(list.size() - shown) + " others, which --json shows");
  return text;
}

/// Columns and weights one a line, below their heading. Names of labels say more than their numbers.
std::string text_of(const facts& all) {
  std::string text;
  for (const auto& [name, value] : all.items()) {
    if (name == "labels" && all.contains("label_names")) continue;
    std::string padded = printable(name);
    padded.resize(std::max<std::size_t>(18, padded.size()), ' ');
    if (name == "columns" && value.is_array()) {
      text += formatted("%-24s %-11s %8s %8s  %s\n", "column", "read as", "distinct", "missing", "range");
      for (const facts& c : value)
        text +=
            formatted("%-24s %-11s %8zu %8zu", printable(c["name"].get<std::string>()).c_str(),
                      c["as"].get<std::string>().c_str(), c["distinct"].get<std::size_t>(),
                      c["missing"].get<std::size_t>()) +
            (c.contains("least") ? "  " + c["least"].get<std::string>() + " to " + c["most"].get<std::string>() : "") +
            "\n";
    } else if (name == "top_weights") {
      for (const facts& w : value)
        text += formatted("  %-40s ", printable(w["name"].get<std::string>()).c_str()) + json_text(w["weights"]) + "\n";
    } else {
      constexpr std::size_t short_list = 80;
      const std::string whole = value.is_string() ? printable(value.get<std::string>()) : json_text(value);
      text += padded +
              (value.is_array() && whole.size() > short_list ? list_text(value, padded.size()) : printable(whole)) +
              "\n";
    }
  }
  return text;
}

facts vector_facts(const std::string& path) {
  const word_vectors vectors = load_words(path, say).vectors;
  return {{"kind", "word vectors"}, {"words", vectors.words.size()}, {"dimension", vectors.dimension}};
}

facts range_of(const auto& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  return {{"least", least}, {"most", most}};
}

/// Of a file whose content does not tell its format.
facts facts_of_format(const std::string& path, data_options& files) {
  files.choose_format("");
  const sparse_dataset data = open_training(path, files);
  const sparse_view rows = data.view();
  const std::size_t users = count_users(rows.original), others = data.features() - users;
  facts all = {{"kind", files.format}, {"rows", data.rows()}};
  if (files.format == "triples") {
    all.update({{"entities", users}, {"relations", others}});
    return all;
  }
  all.update({{"users", users}, {"items", others}, {"weights", range_of(rows.label)}});
  if (const std::vector<double> times = pair_times(data); !times.empty()) all["times"] = range_of(times);
  return all;
}

/// The first bytes and lines tell the kind of a file; those that hold more facts are then read.
facts find_out(const std::string& path, bool verify, std::size_t top_weights, const table_options& table,
               data_options& files) {
  require_regular_file(path);
  if (files.format != "auto") return facts_of_format(path, files);
  const file_look look = look_at_file(path);
  if (look.kind == file_kind::dataset_cache) return cache_facts(path, verify);
  if (look.kind == file_kind::binary_model || look.kind == file_kind::text_model) return model_facts(path, top_weights);
  if (look.kind == file_kind::table || table.asked()) return table_facts(path, table);
  if (look.kind == file_kind::checkpoint) return checkpoint_facts(path);
  if (look.kind == file_kind::unknown && (begins_as_word_vectors(path) || begins_as_fasttext(path)))
    return vector_facts(path);
  if (auto found = data_facts(look)) return *std::move(found);
  throw input_error(path + ": " + describe(look));
}

}  // namespace

int inspect_command(int argc, const char* const* argv) {
  std::string file;
  bool verify = false, json = false;
  std::size_t top_weights = 0;
  table_options table;
  data_options files;
  files.no_cache = true;
  command_line line(
      "inspect",
      "Describes a table, a cache, a saved model, word vectors or a checkpoint, and tells the kind of other files.",
      "hogwild inspect --verify train.svm.hogwild");
  line.positional("FILE", file, "the file");
  line.flag("--verify", verify, "read all of a cache and compare it with its checksums (models are always read whole)");
  line.option("--top-weights", top_weights, "of a model also the N columns with the largest weights, by name");
  line.flag("--json", json, "one JSON object");
  line.group("Pairs and triples");
  command_line::words_for<std::string> formats;
  for (const char* const each : {"auto", "pairs", "pairs:lines", "pairs:lists", "triples"})
    formats.emplace_back(each, each);
  line.choice("--format", files.format, formats, "how to read a file whose content does not tell its format");
  line.flag("--named-ids", files.named_ids, "users and items of pairs are names instead of numbers");
  line.group("Tables");
  table.declare(line);
  if (const auto code = line.parse(argc, argv)) return *code;

  const facts all = find_out(file, verify, top_weights, table, files);
  if (json) {
    print(json_text(all) + "\n");
    return 0;
  }
  print(text_of(all));
  return 0;
}

}  // namespace hogwild::cli
