// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Every default of bench_scaling, in one place; --help shows them.

namespace hogwild::bench::defaults {

inline constexpr const char* models[] = {"hinge_svm", "logistic"};
inline constexpr const char* engines[] = {"serial", "threads", "processes"};
inline constexpr const char* updates[] = {"lossy"};
inline constexpr const char* sharing[] = {"direct", "auto"};
inline constexpr std::size_t workers[] = {1, 2, 4};

inline constexpr std::size_t epochs = 10;       ///< of each run; the first is never counted
inline constexpr std::size_t repeats = 5;       ///< runs of each configuration, interleaved
inline constexpr double tolerance = 0.005;      ///< fraction by which an objective may miss the serial reference's
inline constexpr double accuracy_band = 0.005;  ///< by which the test accuracy of other objectives may be lower
inline constexpr std::uint64_t seed = 1;

inline constexpr std::size_t ceiling_bytes = std::size_t{256} << 20;  ///< read by the bandwidth measurement

inline constexpr std::size_t pss_epochs = 5;
inline constexpr std::size_t pss_workers[] = {1, 2, 4};

inline constexpr std::size_t ingest_threads[] = {1, 2};
inline constexpr std::size_t warm_starts = 20;  ///< a repeat

}  // namespace hogwild::bench::defaults
