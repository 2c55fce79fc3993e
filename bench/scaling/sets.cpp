// SPDX-License-Identifier: Apache-2.0
#include "sets.hpp"

#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

// Steps from a coarse grid for one worker, then kept: with them the objective is near its optimum after these epochs.
constexpr known_set sets[] = {
    {"rcv1_hinge", "", "", "hinge_svm", 0.5, 0.8, std::nullopt, 10, 512},
    {"rcv1_logistic", "", "", "logistic", 4.0, 0.8, std::nullopt, 12, 512},
    {"imdb", "imdb.train.libsvm", "imdb.test.libsvm", "logistic", 0.5, 0.8, 1e-4, 12, 256},
    {"reuters21578", "reuters21578.train.libsvm", "reuters21578.test.libsvm", "logistic", 2.0, 0.8, 1e-4, 12, 256},
    {"kddcup99", "kddcup99.train.libsvm", "kddcup99.test.libsvm", "logistic", 0.02, 0.8, 1e-4, 12, 256},
    {"a9a", "a9a.libsvm", "a9a.t.libsvm", "logistic", 0.02, 0.8, 1e-4, 12, 256},
    {"news20bydate", "news20bydate.train.libsvm", "news20bydate.test.libsvm", "logistic", 0.5, 0.8, 1e-4, 12, 256},
};

}  // namespace

std::span<const known_set> known_sets() {
  return sets;
}

const known_set& find_set(const std::string& name) {
  std::string names;
  for (const known_set& set : sets) {
    if (set.name == name) return set;
    names += (names.empty() ? "" : ", ") + std::string(set.name);
  }
  throw config_error("--set: '" + name + "' is not known; there are " + names);
}

std::filesystem::path file_of_set(const std::filesystem::path& folder, std::string_view name) {
  for (const char* ending : {"", ".xz"}) {
    const std::filesystem::path file = folder / (std::string(name) + ending);
    if (std::filesystem::exists(file)) return file;
  }
  throw input_error((folder / name).string() + ": is not there, with or without .xz; name the data folder with --data");
}

}  // namespace hogwild::bench
