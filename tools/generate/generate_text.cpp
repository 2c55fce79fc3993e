// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <span>
#include <string>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/error.hpp>

#include <generate/generate.hpp>
#include <generate/row_source.hpp>

namespace hogwild::generate {
namespace {

constexpr std::size_t rows_per_text_block = 1024;

struct block_text {
  std::string train, test;
  file_facts facts{};
};

void append_number(std::string& text, std::uint32_t number) {
  char digits[10];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// "0.012345" without trailing zeros; "1" for the whole.
void append_value(std::string& text, std::uint32_t units) {
  if (units >= 1'000'000) {
    text += '1';
    return;
  }
  char digits[] = "0.000000";
  std::size_t end = 8;
  for (std::size_t k = 8; k > 2; units /= 10) digits[--k] = static_cast<char>('0' + units % 10);
  while (digits[end - 1] == '0') --end;
  text.append(digits, end);
}

void append_row(std::string& text, const generated_row& row) {
  text += row.positive ? "1" : "-1";
  for (const auto& [column, units] : row.entries) {
    text += ' ';
    append_number(text, column + 1);
    text += ':';
    append_value(text, units);
  }
  text += '\n';
}

block_text make_block(const row_source& source, std::size_t first, std::size_t last, bool split) {
  block_text block;
  generated_row row;
  for (std::size_t r = first; r < last; ++r) {
    source.make(r, row);
    const bool test = split && row.test;
    append_row(test ? block.test : block.train, row);
    (test ? block.facts.test_rows : block.facts.train_rows) += 1;
    (test ? block.facts.test_nonzeros : block.facts.train_nonzeros) += row.entries.size();
  }
  return block;
}

void write(atomic_file& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
}

/// The free space in a file's folder; nothing if it is not a regular file.
struct room {
  std::uint64_t device, free;
};

std::optional<room> room_for(const std::filesystem::path& file) {
  const std::filesystem::path target = atomic_file::target_of(file);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  struct statvfs disk {};
  struct stat place {};
  if (::statvfs(folder.c_str(), &disk) != 0 || ::stat(folder.c_str(), &place) != 0) return std::nullopt;
  return room{place.st_dev, std::uint64_t{disk.f_bavail} * disk.f_frsize};
}

/// Throws resource_error if there is no room for the text. The size is estimated from the mean bytes of an entry in the
/// first rows, and from the number of entries by the options.
void require_room(const options& o, const block_text& first, const atomic_file& train_file,
                  const std::filesystem::path& train, const std::optional<std::filesystem::path>& test) {
  constexpr double sure = 0.9;
  const auto entries = static_cast<double>(first.facts.train_nonzeros + first.facts.test_nonzeros);
  if (!train_file.takes_place() || entries == 0.0) return;
  const double of_entry = static_cast<double>(first.train.size() + first.test.size()) / entries;
  const double all = of_entry * o.nonzeros * static_cast<double>(o.rows), of_test = test ? o.test_fraction * all : 0.0;
  const auto check = [](const std::filesystem::path& file, double bytes, const std::optional<room>& place) {
    if (!place || sure * bytes <= static_cast<double>(place->free)) return;
    const auto mebibytes = [](double x) {
      return std::to_string(static_cast<std::uint64_t>(x / (1 << 20)) + 1) + " MiB";
    };
    throw resource_error(file.string() + " needs about " + mebibytes(bytes) + ", and its file system has " +
                         mebibytes(static_cast<double>(place->free)) +
                         " free; free some space, write elsewhere, or ask for fewer rows");
  };
  const std::optional<room> place = room_for(train), other = test ? room_for(*test) : std::nullopt;
  const bool together = place && other && place->device == other->device;
  check(train, together ? all : all - of_test, place);
  if (test && !together) check(*test, of_test, other);
}

}  // namespace

file_facts write_files(const options& o, const std::filesystem::path& train,
                       const std::optional<std::filesystem::path>& test) {
  const row_source source(o);
  atomic_file train_file(train);
  std::optional<atomic_file> test_file;
  if (test) test_file.emplace(*test);
  require_room(o, make_block(source, 0, std::min(o.rows, rows_per_text_block), test.has_value()), train_file, train,
               test);
  file_facts facts;
  std::size_t next = 0;
  // Writing does not throw: oneTBB would never destroy the blocks that wait for it.
  std::atomic<bool> failed = false;
  std::exception_ptr problem;
  const auto draw_block = [&](tbb::flow_control& flow) -> std::size_t {
    if (failed || next >= o.rows) flow.stop();
    return std::exchange(next, next + rows_per_text_block);
  };
  const auto to_text = [&](std::size_t first) {
    return make_block(source, first, std::min(o.rows, first + rows_per_text_block), test.has_value());
  };
  const auto to_file = [&](const block_text& block) {
    if (failed) return;
    try {
      write(train_file, block.train);
      if (test_file) write(*test_file, block.test);
    } catch (...) {
      problem = std::current_exception();
      failed = true;
    }
    facts.train_rows += block.facts.train_rows;
    facts.test_rows += block.facts.test_rows;
    facts.train_nonzeros += block.facts.train_nonzeros;
    facts.test_nonzeros += block.facts.test_nonzeros;
  };
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  require_tbb_threads(threads);
  tbb::parallel_pipeline(4 * threads,
                         tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, draw_block) &
                             tbb::make_filter<std::size_t, block_text>(tbb::filter_mode::parallel, to_text) &
                             tbb::make_filter<block_text, void>(tbb::filter_mode::serial_in_order, to_file));
  if (problem) std::rethrow_exception(problem);
  train_file.commit();
  if (test_file) test_file->commit();
  return facts;
}

}  // namespace hogwild::generate
