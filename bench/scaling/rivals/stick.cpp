// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "rivals/figures.hpp"
#include "rivals/program.hpp"
#include "rivals/rival.hpp"

// The measuring stick: a program made to find out what the machine allows. It leaves no weights, so its own figures of
// quality are told; they are of the same objective.

namespace hogwild::bench {
namespace {

struct stick_way {
  const char* name;
  std::size_t workers;
};
constexpr stick_way ways[] = {{"one-thread", 1}, {"ruler", 2}, {"reproducible", 2}};
constexpr std::size_t most_narrow_columns = 65'536;

/// Its configuration line: name, workers, mode, replicated columns, rows between exchanges, factor of a delta, shortest
/// prefix, batch or virtual workers, two that stay as they are.
std::string line_of(const stick_way& way, std::size_t exchange_rows) {
  const std::string name = way.name;
  if (name == "one-thread") return name + " 1 2 -1 0 1 0 16 0 9\n";
  const std::string rows = std::to_string(exchange_rows);
  if (name == "ruler") return name + " 2 2 -1 " + rows + " 1 512 16 0 9\n";
  return name + " 2 3 0 " + rows + " 1 512 2 0 0\n";
}

rival_run run_stick(const rival_context& c, const stick_way& way, int bits) {
  const auto configuration = c.files.scratch("stick.conf");
  std::ofstream(configuration) << line_of(way, c.options.rivals.exchange_rows);
  const model_settings& s = c.settled;
  const program_run run =
      run_program(c.options.rivals.stick,
                  {c.files.train(export_format::libsvm), c.files.test(export_format::libsvm),
                   s.model == "logistic" ? "logi" : "hinge", written(s.l2), written(s.step), written(s.decay),
                   std::to_string(c.options.epochs), "1", "1", std::to_string(bits), configuration},
                  c.files.scratch("stick.log"), {c.options.rivals.limit_seconds, c.options.stop});
  const stick_figures f = read_stick(run.output, way.name);
  return {run.seconds, f.epoch_seconds, f.best_epoch_seconds, f.objective, f.test_accuracy};
}

}  // namespace

std::vector<rival> stick_rivals(const rival_context& c) {
  std::vector<rival> all;
  for (const stick_way& way : ways) {
    for (const int bits : {32, 16}) {
      rival r{.name = "stick",
              .setting = std::string(way.name) + ", " + std::to_string(bits) + " bits",
              .workers = way.workers,
              .evaluated_by = evaluator::its_own};
      if (c.options.rivals.stick.empty()) {
        r.skip = "its program was not named: --stick";
      } else if (!find_program(c.options.rivals.stick)) {
        r.skip = "--stick names no program";
      } else if (way.workers > c.cpus) {
        r.skip = "it needs two CPUs";
      } else if (bits == 16 && c.files.columns().largest() > most_narrow_columns) {
        r.skip = "16 bits do not reach so many columns";
      }
      r.run = [&c, way, bits] { return run_stick(c, way, bits); };
      all.push_back(std::move(r));
    }
  }
  return all;
}

}  // namespace hogwild::bench
