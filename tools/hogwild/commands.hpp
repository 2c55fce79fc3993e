// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hogwild::cli {

// The commands. Each parses what follows its own name (argv[0] is that name), does its work, and returns the exit code;
// errors travel as exceptions.

int train_command(int argc, const char* const* argv);
int search_command(int argc, const char* const* argv);
int predict_command(int argc, const char* const* argv);
int evaluate_command(int argc, const char* const* argv);
int advise_command(int argc, const char* const* argv);
int bench_command(int argc, const char* const* argv);
int report_command(int argc, const char* const* argv);
int recommend_command(int argc, const char* const* argv);
int neighbors_command(int argc, const char* const* argv);
int generate_command(int argc, const char* const* argv);
int quantize_command(int argc, const char* const* argv);
int convert_command(int argc, const char* const* argv);
int inspect_command(int argc, const char* const* argv);
int cache_command(int argc, const char* const* argv);
int segments_command(int argc, const char* const* argv);
int worker_command(int argc, const char* const* argv);
int version_command(int argc, const char* const* argv);

}  // namespace hogwild::cli
