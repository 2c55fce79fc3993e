// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <hogwild/core/model.hpp>
#include <hogwild/core/sparse_dataset.hpp>
#include <hogwild/margin_loss.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

/// What a first pass came to.
struct trained_pass {
  std::vector<float> parameters;  ///< as train_result has them
  std::uint64_t examples = 0, updates = 0, nonzeros = 0;
  double train_seconds = 0.0;  ///< of the threads that trained, on average
};

/// The first epoch of a run, trained while its text is still being parsed: each thread that parses trains on the rows
/// that it has just parsed, on a replica of its own, and exchanges what it gained with the others.
///
///   first_pass pass(model, options);
///   const auto data = open_libsvm(path, {.on_rows = pass.listener()});
///   options.first_pass = pass.finish(data.numbering());   // none where the rows came from a cache
///   train(model, data, engine, options);                  // measures what the pass has reached and goes on
///
/// Margin models under sgd. The rows are trained on in the order of the text. Final ranks are known only at its end, so
/// that the pass has ranks of its own: by frequency in the first block, then by appearance. To look one up for each
/// entry costs about as much as its training and makes nothing faster by itself; what it buys is that hot columns stand
/// together, so that threads can tell each other of them often, by a short prefix, where all columns of wide data could
/// hardly be exchanged once. Numbering, order of rows and cache are what they are without a first pass. One block is
/// enough to rank by: hot columns are in every block, and to wait for more would leave threads idle or rows untrained.
///
/// Left out are rows before the first two labels of a binary model are known, rows with a third, and rows with an index
/// beyond 2^24. Where l2 is so strong that it would shrink what a row adds to less than a millionth, the pass ends
/// there.
///
/// Where l2 is not given it is 1/n with n judged by the length of the first block; 0 in the pass where the length of
/// the text is not known.
class first_pass {
 public:
  /// Refers to the model. Throws config_error for options that need the rows first: a step that is to be found, a
  /// reproducible run, validation on a share of the rows, another optimiser than sgd, another order, sharing `direct`,
  /// `locked` updates, fixed shards, a batch out of range, a run that is resumed.
  template <margin_model M>
  first_pass(const M& m, const train_options& options) : first_pass(margin_loss(m), labels_of(m), options) {}
  template <margin_model M>
  first_pass(const M&& gone, const train_options& options) = delete;
  ~first_pass();
  first_pass(const first_pass&) = delete;
  first_pass& operator=(const first_pass&) = delete;

  /// For open_options::on_rows; refers to this object.
  row_listener listener();

  /// Sends what the threads still hold and brings the parameters from the ranks of the pass to those of `numbering`;
  /// null where no row was trained on. Nobody may be parsing any more.
  std::shared_ptr<const trained_pass> finish(const column_numbering& numbering);

 private:
  class work;
  first_pass(margin_loss loss, label_kind kind, const train_options& options);
  std::unique_ptr<work> work_;
};

}  // namespace hogwild
