// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/results/forecasts.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Turns per-row scores and trained-on labels into the measures that suit the labels. There are n scores, n labels, and
/// n weights if rows have weights.
measurement measure_scores(label_kind kind, double mean_loss, std::span<const float> scores,
                           std::span<const float> labels, std::span<const float> weights);

/// measure_scores() without measures for which rows have to be sorted, such as the area under the curve.
measurement measure_unsorted(label_kind kind, double mean_loss, std::span<const float> scores,
                             std::span<const float> labels, std::span<const float> weights);

/// Adds the measures of probabilities of rows of two or several classes.
void measure_forecasts(label_kind kind, const forecasts& of, std::span<const float> weights, measurement& into);

/// Sets the measures of two labels for which only the predicted label counts; the signs of `decided` are these labels.
void measure_decisions(std::span<const float> decided, std::span<const float> labels, std::span<const float> weights,
                       measurement& into);

/// Adds the measures of rows with groups, of which there may be none.
void measure_groups(label_kind kind, std::span<const float> scores, std::span<const float> labels,
                    std::span<const float> weights, std::span<const std::uint32_t> groups, measurement& into);

/// measure_scores() for a graph that is cut (formats/graphs.hpp): the scores of edges are the capacity that is cut, the
/// scores of nodes are their side, and the accuracy is the fraction of nodes on the right side, if there are any.
measurement measure_cut(label_kind kind, double mean_loss, std::span<const float> scores, std::span<const float> labels,
                        std::span<const float> weights);

/// Counts for rows with lists of labels, divided among several threads.
class shared_list_counts {
 public:
  /// `inverse`: as of list_counts.
  explicit shared_list_counts(std::size_t classes, std::vector<double> inverse = {})
      : classes_(classes), inverse_(std::move(inverse)) {}
  shared_list_counts(const shared_list_counts&) = delete;  // the counts refer to it

  /// The counts of one thread, for as long as this object lives. Any thread may call it.
  list_counts& of_thread() {
    const std::scoped_lock lock(mutex_);
    return parts_.emplace_back(classes_, inverse_);
  }
  /// The measures of all rows that were counted; called when nobody counts any more.
  measurement measure(double mean_loss) const;

 private:
  std::size_t classes_;
  std::vector<double> inverse_;
  std::mutex mutex_;
  std::deque<list_counts> parts_;  ///< a deque, so that they stay in place
};

/// How scores become measures, as in measure_scores().
using measure_function = measurement (*)(label_kind, double, std::span<const float>, std::span<const float>,
                                         std::span<const float>);

/// How many chunks ahead streamed rows are read.
inline constexpr std::size_t chunks_ahead = 8;

/// Measures all rows in parallel, chunk by chunk, and sums the losses in a fixed order, so that the result does not
/// depend on the number of threads. The mean divides by the number of rows: weights average 1 (row_weights.hpp). make()
/// makes a scorer for each thread, which is called with (chunk, scores, targets): it returns the sum of the chunk's
/// losses, each times its row's weight, and fills in scores and targets of its rows if there are any. The parameters
/// may be written meanwhile, but then it is undefined which values were measured.
///
/// A request to stop ends it before the next chunk; scorers check for one between rows. Then the loss is not a number,
/// and nothing else is measured, because measures of a part of the rows would be wrong.
template <class Make>
measurement evaluate_chunks(const sparse_view& data, const label_map& labels, thread_team& threads,
                            const chunk_plan& plan, bool with_scores, const Make& make,
                            measure_function measure = measure_scores, const std::stop_token& stop = {}) {
  std::vector<double> loss(plan.count());
  std::vector<float> scores(with_scores ? data.rows() : 0), targets(scores.size());
  ticket_counter next{};
  next.open(1, 0);
  threads.run([&](std::size_t) {
    std::optional<decltype(make())> score;  // made on the first chunk: it costs too much for threads that get none
    while (const auto i = stop.stop_requested() ? std::nullopt : next.draw(1, plan.count())) {
      const chunk rows = plan[*i];
      const bool streams = data.streams();
      if (const std::size_t ahead = *i + chunks_ahead; streams && ahead < plan.count())
        data.announce(plan[ahead].first, plan[ahead].last);
      data.ensure(rows.first, rows.last);
      if (!score) score.emplace(make());
      loss[*i] = (*score)(rows, std::span(scores), std::span(targets));
      if (streams) data.release(rows.first, rows.last);
    }
  });
  if (stop.stop_requested()) return {.loss = std::numeric_limits<double>::quiet_NaN()};
  double total = 0.0;
  for (const double part : loss) total += part;
  const double mean = data.rows() == 0 ? 0.0 : total / static_cast<double>(data.rows());
  if (!with_scores) return {.loss = mean};
  measurement found = measure(labels.kind(), mean, scores, targets, data.weight);
  if (measure == measure_scores) measure_groups(labels.kind(), scores, targets, data.weight, data.group, found);
  return found;
}

/// Calls score_row(example) for every row.
template <class ScoreRow>
measurement evaluate_rows(const sparse_view& data, const label_map& labels, thread_team& threads,
                          const ScoreRow& score_row, bool with_scores, measure_function measure = measure_scores,
                          const std::stop_token& stop = {}) {
  return evaluate_chunks(
      data, labels, threads, chunk_plan(data.rows(), 1024), with_scores,
      [&] {
        return [&, cursor = row_cursor(data)](const chunk& rows, std::span<float> scores,
                                              std::span<float> targets) mutable {
          double sum = 0.0;
          for (std::size_t r = rows.first; r < rows.last && !stop.stop_requested(); ++r) {
            const auto z = labelled_row(cursor, r, labels);
            const row_score v = score_row(z);
            sum += static_cast<double>(z.weight) * v.loss;
            if (with_scores) scores[r] = v.score, targets[r] = z.label;
          }
          return sum;
        };
      },
      measure, stop);
}

/// How many examples, at least one and at most `batch`, a thread scores for all classes at a time: their scores take at
/// most 64 MiB.
constexpr std::size_t examples_of_scores(std::size_t batch, std::size_t classes) {
  constexpr std::size_t most_scores = (std::size_t{64} << 20) / sizeof(float);
  return std::clamp<std::size_t>(most_scores / classes, 1, batch);
}

/// The same for models that take `batch` examples at once. make(batch) makes a thread's scorer, which is called with
/// (k, &example, row, {}) for example k of a batch, then with (0, null, 0, row_scores) for all of them.
template <class Make>
measurement evaluate_examples(const sparse_view& data, const label_map& labels, thread_team& threads, std::size_t batch,
                              const Make& make, bool with_scores, measure_function measure = measure_scores,
                              const std::stop_token& stop = {}) {
  const chunk_plan plan(data.rows(), (1024 + batch - 1) / batch * batch);
  return evaluate_chunks(
      data, labels, threads, plan, with_scores,
      [&] {
        return [&, cursor = row_cursor(data), score = make(batch), row_scores = std::vector<row_score>(batch)](
                   const chunk& rows, std::span<float> scores, std::span<float> targets) mutable {
          double sum = 0.0;
          for (std::size_t first = rows.first; first < rows.last && !stop.stop_requested(); first += batch) {
            const std::span<row_score> said = std::span(row_scores).first(std::min(batch, rows.last - first));
            for (std::size_t k = 0; k < said.size(); ++k) {
              const sparse_row<float> z = labelled_row(cursor, first + k, labels);
              if (with_scores) targets[first + k] = z.label;
              score(k, &z, first + k, std::span<row_score>());
            }
            score(0, nullptr, 0, said);
            for (std::size_t k = 0; k < said.size(); ++k) {
              sum += static_cast<double>(data.weight_of(first + k)) * said[k].loss;
              if (with_scores) scores[first + k] = said[k].score;
            }
          }
          return sum;
        };
      },
      measure, stop);
}

/// Calls put(row, score) for each row, in parallel and in any order; labels are ignored. make(batch) makes a thread's
/// scorer of `batch` rows at once, as in evaluate_examples().
template <class Make, class Put>
void score_rows(const sparse_view& rows, thread_team& threads, std::size_t batch, const Make& make, const Put& put) {
  const auto score_chunks = [&] {
    return [&, cursor = row_cursor(rows), score = make(batch), said = std::vector<row_score>(batch)](
               const chunk& part, auto, auto) mutable {
      for (std::size_t first = part.first; first < part.last; first += batch) {
        const std::span<row_score> scores = std::span(said).first(std::min(batch, part.last - first));
        for (std::size_t k = 0; k < scores.size(); ++k) {
          sparse_row<float> z = cursor.row(first + k);
          z.label = 0.0f;  // the row's label need not be one of the model's
          score(k, &z, first + k, std::span<row_score>());
        }
        score(0, nullptr, 0, scores);
        for (std::size_t k = 0; k < scores.size(); ++k) put(first + k, scores[k].score);
      }
      return 0.0;
    };
  };
  const chunk_plan plan(rows.rows(), (1024 + batch - 1) / batch * batch);
  evaluate_chunks(rows, {}, threads, plan, false, score_chunks);
}

/// The measures of rows with lists of labels. make(most) makes a thread's scorer of `most` examples, which is called as
/// in evaluate_examples() with one more argument: room for each example's scores for all classes. A row is predicted to
/// have the classes that score above decision(scores). `inverse`: as of list_counts.
template <class Make, class Decision>
measurement evaluate_lists(const sparse_view& rows, const label_map& labels, std::vector<double> inverse,
                           thread_team& threads, std::size_t batch, const Make& make, const Decision& decision,
                           const std::stop_token& stop = {}) {
  const std::size_t classes = labels.classes();
  shared_list_counts counts(classes, std::move(inverse));
  const auto count = [&](std::size_t most) {
    return [&, score = make(most), part = &counts.of_thread(), given = std::vector<std::vector<std::uint32_t>>(most),
            weight = std::vector<float>(most), of_classes = std::vector<float>(most * classes)](
               std::size_t k, const sparse_row<float>* z, std::size_t row, std::span<row_score> said) mutable {
      score(k, z, row, said, std::span(of_classes));
      if (z != nullptr) {
        given[k].assign(z->classes.begin(), z->classes.end());
        weight[k] = z->weight;
        return;
      }
      for (std::size_t i = 0; i < said.size(); ++i) {
        const std::span<const float> scores = std::span(of_classes).subspan(i * classes, classes);
        part->add(scores, decision(scores), given[i], weight[i]);
      }
    };
  };
  const measurement found =
      evaluate_examples(rows, labels, threads, examples_of_scores(batch, classes), count, false, measure_scores, stop);
  return stop.stop_requested() ? found : counts.measure(found.loss);
}

}  // namespace hogwild
