// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

class param_store;

/// The thread team of a stream whose user asks for `asked`. OpenMP's threads spin for a while when they wait for the
/// next round, and take the CPU from the threads that make the rows: two workers beside two parsers took up to twenty
/// times as long on two CPUs.
constexpr thread_team_kind thread_team_of_stream(thread_team_kind asked) {
  return asked == thread_team_kind::openmp ? thread_team_kind::std : asked;
}

/// The options of a stream, besides train_options.
struct stream_options {
  /// The number of rows that count as an epoch of the step's schedule; at least 1. It has no other effect.
  std::uint64_t epoch_rows = 1'000'000;
  /// Open options (a step, how many rows see the same weights, how workers share) are decided from this many first
  /// rows, rounded up to a chunk. These rows are kept until then, and copies of them for as long as the stream lasts.
  /// If flush() comes sooner, fewer rows decide, and the sharing is decided again when there are enough. At least 1.
  std::size_t first_rows = 4096;
  /// Whether rows are measured before they are trained on (stream_report::loss).
  bool progressive = true;
  /// Called with notes of one sentence: fewer workers than were asked for, an older checkpoint than the last.
  std::function<void(std::string_view)> note{};
};

/// Statistics of one call.
struct stream_report {
  std::uint64_t rows = 0;     ///< rows taken since the stream began
  std::uint64_t trained = 0;  ///< rows trained by this call, including rows that earlier calls left over
  /// The mean loss of the rows that this call trained on, before it did so (progressive validation); not a number if
  /// there are none, or it is not asked for.
  double loss = 0.0;
  double step = 0.0;  ///< of the last row that was trained
  /// Set by flush() alone: the rows that were trained last have a larger loss than an untrained model has on them,
  /// beyond noise and what a change of the rows explains (stream_course), or one that is no number. A smaller step may
  /// mend it.
  bool diverged = false;
};

/// How far a stream has come, without its arrays. Eight bytes each, so that a checkpoint holds no padding.
struct stream_state {
  std::uint64_t rows = 0;          ///< rows trained
  std::uint64_t since_origin = 0;  ///< rows since l2 began at `scale`
  double scale = 1.0;              ///< w = scale * v at that row
  double reached = 1.0;            ///< the same after the last row
  double shrink = 1.0;             ///< the factor by which each row since then shrinks w
  std::uint64_t batch = 0;         ///< rows that see the same weights, by the first plan; 0: there was none
};

/// Parameters and optimiser state, in arrays as long as the parameters, and the number of columns.
struct stream_arrays {
  std::size_t columns = 0, scalar_bytes = sizeof(float);
  std::vector<std::vector<std::byte>> arrays{};  ///< parameters first
};

/// Copies arrays made for fewer columns into a store for more: existing columns keep their values, new ones are left as
/// they are. Groups are those of the same model.
void put_arrays(const stream_arrays& from, const std::vector<parameter_group>& old_groups, const param_store& to,
                const std::vector<parameter_group>& new_groups);
stream_arrays copy_arrays(const param_store& store, std::size_t columns, const std::vector<parameter_group>& groups);
/// The parameters as they are stored.
std::vector<float> floats_of(const stream_arrays& arrays);

/// Copies elements of `from`, laid out as `old_groups`, to the layout `new_groups`: of each group the rows that both
/// layouts have.
void regroup(std::span<const float> from, const std::vector<parameter_group>& old_groups, std::span<float> to,
             const std::vector<parameter_group>& new_groups);
/// The same into a new array.
std::vector<float> regrouped(std::span<const float> from, const std::vector<parameter_group>& old_groups,
                             const std::vector<parameter_group>& new_groups);

}  // namespace hogwild
