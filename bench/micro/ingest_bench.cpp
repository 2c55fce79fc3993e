// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/math/random.hpp>

#include "formats/libsvm_parser.hpp"
#include "text/decimal.hpp"

namespace {

using namespace hogwild;

/// Text shaped like RCV1: about 75 entries a row, columns with a long tail, six significant digits. Some 50 MB.
class sample_file {
 public:
  sample_file() : path_(std::filesystem::temp_directory_path() / ("ingest-bench-" + std::to_string(::getpid()))) {
    std::ofstream out(path_);
    const counter_random random(1, 0);
    std::uint64_t draw = 0;
    for (int row = 0; row < 43'000; ++row) {
      std::string line = random.below(draw++, 2) == 0 ? "-1" : "1";
      double column = 0;
      for (int k = 0; k < 75; ++k) {
        const double step = random.uniform(draw++);
        column += 1 + step * step * step * 24 * (1 + k);
        char entry[40];
        const int length = std::snprintf(entry, sizeof entry, " %d:%.6g", static_cast<int>(column),
                                         std::exp(-1 - 3 * random.uniform(draw++)));
        line.append(entry, static_cast<std::size_t>(length));
      }
      out << line << '\n';
    }
    out.close();
    bytes_ = static_cast<std::int64_t>(std::filesystem::file_size(path_));
  }
  ~sample_file() {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_.string() + ".hogwild");
  }
  std::string path() const { return path_.string(); }
  std::int64_t bytes() const { return bytes_; }

  static const sample_file& get() {
    static const sample_file file;
    return file;
  }

 private:
  std::filesystem::path path_;
  std::int64_t bytes_ = 0;
};

void parse_block(benchmark::State& state) {
  std::ifstream in(sample_file::get().path());
  std::string text(std::size_t{1} << 20, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(text.rfind('\n') + 1);
  const std::size_t length = text.size();
  text.append(detail::text_padding, '\0');
  std::vector<std::uint32_t> index(detail::libsvm_capacity(length));
  std::vector<float> value(index.size());
  for (auto _ : state) {
    detail::row_block block;
    block.index = index.data();
    block.value = value.data();
    detail::parse_libsvm_block(std::string_view(text).substr(0, length), false, block);
    if (block.fault) state.SkipWithError("the sample is malformed");
    benchmark::DoNotOptimize(block.entries);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(length) * state.iterations());
}
BENCHMARK(parse_block)->Unit(benchmark::kMicrosecond);

void open_to_memory(benchmark::State& state) {
  const sample_file& file = sample_file::get();
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const sparse_dataset data = open_libsvm(
        file.path(), {.cache = open_options::cache_use::none, .threads = static_cast<std::size_t>(state.range(0))});
    // Freeing the memory of the data is not part of opening them.
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (data.rows() != 43'000) state.SkipWithError("rows were lost");
  }
  state.SetBytesProcessed(file.bytes() * state.iterations());
}
BENCHMARK(open_to_memory)->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

void open_to_cache(benchmark::State& state) {
  const sample_file& file = sample_file::get();
  for (auto _ : state) open_libsvm(file.path(), {.cache = open_options::cache_use::rebuild, .threads = 1});
  state.SetBytesProcessed(file.bytes() * state.iterations());
}
BENCHMARK(open_to_cache)->UseRealTime()->Unit(benchmark::kMillisecond);

void warm_start(benchmark::State& state) {
  const sample_file& file = sample_file::get();
  open_libsvm(file.path());
  for (auto _ : state) {
    const sparse_dataset data = open_libsvm(file.path());
    if (!data.from_cache()) state.SkipWithError("the cache was not used");
    benchmark::DoNotOptimize(data.view());
  }
}
BENCHMARK(warm_start)->UseRealTime()->Unit(benchmark::kMicrosecond);

void verify_all(benchmark::State& state) {
  const sample_file& file = sample_file::get();
  const std::string path = open_libsvm(file.path()).shared_path();
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const sparse_dataset data = sparse_dataset::map(path);
    data.verify();
    bytes += static_cast<std::int64_t>(std::filesystem::file_size(path));
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(verify_all)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
