// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/models/quantised_text.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/error.hpp>
#include <hogwild/saved_model.hpp>
#include <interrupt/interrupt.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "evaluation.hpp"
#include "standard_streams.hpp"
#include "summary.hpp"

namespace hogwild::cli {
namespace {

/// A model as a file.
struct measured_file {
  std::size_t bytes = 0, columns = 0;
  measurement measures{};
};

std::string text_of(const measured_file& file, bool measured) {
  return formatted("%.3f MB, %zu columns", static_cast<double>(file.bytes) / 1e6, file.columns) +
         (measured ? "; " + measures_text(file.measures) : "") + "\n";
}

nlohmann::ordered_json json_of(const measured_file& file, bool measured) {
  nlohmann::ordered_json all = {{"bytes", file.bytes}, {"columns", file.columns}};
  if (measured) put_measures(all, "test_", file.measures);
  return all;
}

}  // namespace

int quantize_command(int argc, const char* const* argv) {
  std::string in, out, test;
  text_quantisation how;
  bool json = false, quiet = false, plain = false;
  command_line line("quantize",
                    "Writes a text_classifier in a smaller file: each part of a vector becomes one byte, the number of "
                    "the nearest of 256 centroids that vectors have in common. The file serves predict, evaluate and "
                    "inspect; no training goes on from it.",
                    "hogwild quantize model.bin small.bin --cutoff 50000 --test test.txt");
  line.positional("MODEL", in, "a text_classifier that 'hogwild train --save' wrote");
  line.positional("OUT", out, "the file to write, binary");
  line.option("--cutoff", how.cutoff, "keep the N columns with the longest vectors; 0: all");
  line.option("--sub-vector", how.rows.part, "numbers of a vector that become one byte, 1 to 16");
  line.flag(
      "--no-norms", plain,
      "quantise vectors as they are, and not their lengths apart from their directions: a byte less for each, and "
      "less exact");
  line.flag("--quantize-labels", how.labels, "quantise the vectors of labels, too");
  line.option("--seed", how.rows.seed, "of the vectors whose parts the centroids begin with");
  line.option("--test", test, "labelled rows: measure the model before and after");
  line.flag("--json", json, "one JSON object");
  line.flag("--quiet", quiet, "say nothing about unknown columns");
  if (const auto code = line.parse(argc, argv)) return *code;
  how.rows.lengths = !plain;
  const interrupt signals({.ended = ended_at_once});

  refuse_overwrite("OUT", out, {in, test});
  atomic_file::look(out);
  if (model_format_for(out) == model_format::text)
    throw config_error(out + ": a quantised model is not saved as text: give another name");
  if (test == "-") throw config_error("--test is read twice, and standard input can be read once only: name a file");
  if (!test.empty()) require_regular_file(test);
  const saved_model before = load_model(in, say);
  const saved_model after = quantised_text(before, how, in);
  const std::vector<std::byte> bytes = model_bytes(after, model_format::binary);
  const auto measured = [&](const saved_model& model, std::size_t size) {
    measured_file file{.bytes = size, .columns = model.columns.size()};
    data_options files;  // copies share the words of a model
    files.quiet = quiet;
    if (!test.empty())
      file.measures = retry_damaged_cache([&] { return evaluate(model, in, test, files, {}, {}); }).measures;
    return file;
  };
  const measured_file first = measured(before, model_bytes(before, model_format::binary).size()),
                      then = measured(after, bytes.size());
  atomic_file file(out);
  file.write(bytes);
  file.commit();
  const double times = static_cast<double>(first.bytes) / static_cast<double>(then.bytes);
  if (json)
    print(json_text({{"before", json_of(first, !test.empty())},
                     {"after", json_of(then, !test.empty())},
                     {"times_smaller", times}}) +
          "\n");
  else
    print("before      " + text_of(first, !test.empty()) + "after       " + text_of(then, !test.empty()) +
          formatted("smaller     %.1f times\n", times));
  return 0;
}

}  // namespace hogwild::cli
