// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/pairs.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/side_features.hpp>
#include <hogwild/saved_model.hpp>

#include "command_line.hpp"
#include "table_options.hpp"

namespace hogwild::cli {

/// Where caches go if the source's folder cannot be written: $XDG_CACHE_HOME/hogwild, else ~/.cache/hogwild; empty if
/// neither is known.
std::filesystem::path default_cache_folder();

/// The options of every command that reads data.
struct data_options {
  std::string cache_folder{};
  bool no_cache = false;
  std::optional<bool> index_from_0{};  ///< of LIBSVM text; nothing: whether its first lines have an index 0
  std::string format = "auto";         ///< the model's, until choose_format(); if still auto then, detected by content
  graph_options graph{};               ///< which nodes are terminals
  bool directed = false;               ///< edges lead from their first node to the second only
  bool documents = false;              ///< lines of a text are documents, for models of these
  pair_options pairs{};                ///< their form, and which ratings are pairs
  /// The file of pairs that was opened first, whose form decides for others where theirs is in doubt. Copies share it.
  std::shared_ptr<std::string> first_pairs = std::make_shared<std::string>();
  std::string labels{};  ///< of training images; empty: files beside them
  value_precision values = value_precision::single;
  std::optional<std::uint64_t> memory{};       ///< bytes that parsing may hold
  hogwild::isa isa = hogwild::isa::automatic;  ///< of the parser; declared by commands that also name kernels
  bool quiet = false;
  /// Receives notes on the files, in place of standard error and `quiet`.
  std::function<void(std::string_view sentence)> note{};
  bool named_ids = false;
  std::string user_features{}, item_features{};  ///< files of features, for pairs
  /// The features of these files once pairs have been opened; before that the names of those of a saved model. Copies
  /// share it.
  std::shared_ptr<side_features> features = std::make_shared<side_features>();
  table_options table{};
  /// Whether indices of the training data were found to count from 0. Copies share it.
  std::shared_ptr<bool> found_from_0 = std::make_shared<bool>(false);
  /// The words of labels, by number, once a saved model or the training data have told them; empty: labels are numbers.
  /// Copies share it.
  std::shared_ptr<std::vector<std::string>> label_words = std::make_shared<std::vector<std::string>>();
  std::vector<std::string> words_of_model{};  ///< with which training data are read: those that a saved model has told
  /// Names of the users and items met so far in any file of this command, of triples those of the entities and
  /// relations; null until choose_format(), and if ids are numbers.
  std::shared_ptr<rating_names> names{};

  void declare(command_line& line);
  /// The default format for the model of this name; rows if the name is not known. An empty name: the data are opened
  /// for what they are, whichever model is trained on them.
  void choose_format(std::string_view model);
  /// The same for a saved model, which may know the names of users and items, or the columns of a table; `path` is its
  /// file.
  void choose_format(const saved_model& model, const std::string& path);
  /// For a model that knows the columns of a table. Throws config_error if an option says something else.
  void choose_schema(const saved_model& model, const std::string& path);
  /// Gives a trained model what is known of its columns besides their numbers.
  void name_columns(saved_model& saved) const;
  /// For commands that train.
  void declare_values(command_line& line);
  bool has_features() const { return !user_features.empty() || !item_features.empty(); }
};

/// Gives a trained model the names of its columns: those of users and items, or of entities and relations.
void keep_names(const rating_names& names, saved_model& saved);

/// Files with a number for each row of some data, one a line; empty: none.
struct row_files {
  std::string weights{}, offsets{};

  bool any() const { return !weights.empty() || !offsets.empty(); }
  /// Declares --weights and --offsets, with `of` before the words ("test-").
  void declare(command_line& line, const std::string& of, const std::string& which_rows);
  /// Reads them for the rows of `data`. Throws input_error.
  void read_for(sparse_dataset& data) const;
};

/// Where notes on the files go.
std::function<void(std::string_view sentence)> note_of(const data_options& options);

/// The kind of data that the model of this name is trained on; rows if the name is not known.
model_input input_of(std::string_view model);

/// The number of the first column in files of this format: 1 for LIBSVM text and images; 0 for others, whose numbers
/// are ids.
std::uint32_t first_column_of(const data_options& options);

/// Opens training data.
sparse_dataset open_training(const std::string& path, const data_options& options);

/// How a corpus and counts of its words are read: where they go to files, and from how many bytes on.
corpus_options corpus_opening(const data_options& options);
/// Reads a corpus, with these words if they are given, and with parts of words; many rows go to a temporary file in the
/// cache folder. Or reads edges, whose nodes are the words.
corpus open_words(const std::string& path, std::uint64_t min_count, const data_options& options,
                  std::optional<vocabulary> words = {}, const subword_shape& subwords = {});

/// Whether rows must have labels: all, all but those whose lists are empty, none.
enum class row_labels { required, of_lists, optional };

/// The labels of test data for training rows.
inline row_labels like_those_of(const sparse_view& training) {
  return training.label.lists() ? row_labels::of_lists : row_labels::required;
}

/// Opens rows that are read through the columns of a training set or a saved model, and notes on stderr how many
/// entries were left out because those columns do not include them.
sparse_dataset open_through(const std::string& path, const column_numbering& columns, const data_options& options,
                            row_labels labels);

/// Says that so many entries were left out, if any were.
void say_unknown(const std::string& path, std::size_t entries, const data_options& options);

/// Throws input_error with the reason if `path` is not a regular file, or cannot be examined.
void require_regular_file(const std::string& path);

/// Throws config_error if `output`, given by the option `name`, is one of the input files. Empty names and "-" are no
/// files.
void refuse_overwrite(const std::string& name, const std::string& output, std::initializer_list<std::string> inputs);

/// Prints one sentence on stderr, made printable.
void say(std::string_view sentence);

/// Returns work(). A damaged dataset cache costs one note and the time to parse the text again: it is removed, and the
/// work is repeated, once. The writer of the new cache reports whether there is one.
template <class Work>
auto retry_damaged_cache(const Work& work) {
  try {
    return work();
  } catch (const cache_error& e) {
    std::error_code ignored;
    if (!std::filesystem::remove(e.path(), ignored)) throw;
    say(std::string(e.what()) + "; it is removed, and the data are read again");
  }
  return work();
}

}  // namespace hogwild::cli
