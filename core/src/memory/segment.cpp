// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/segment.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <boost/interprocess/mapped_region.hpp>
#include <boost/interprocess/shared_memory_object.hpp>

#include <hogwild/detail/platform/cleanup.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "memory/segment_file.hpp"
#include "platform/file_error.hpp"

namespace hogwild {
namespace {

namespace ipc = boost::interprocess;
using detail::lock_file;
using detail::names_file;
using detail::read_header;
using detail::text_of;

void check_name(const std::string& name) {
  if (name.starts_with(detail::segment_prefix) && name.size() <= 200 && name.find('/') == std::string::npos &&
      name.find('\0') == std::string::npos) {
    return;
  }
  throw segment_error(quote(name) + " cannot name a segment: a name begins with \"hogwild-\", has no '/' and at most " +
                      "200 bytes; leave it out to get a fresh one");
}

std::string mebibytes(std::uint64_t bytes) {
  constexpr std::uint64_t mebi = 1u << 20;
  return std::to_string(bytes / mebi + (bytes % mebi != 0));
}

[[noreturn]] void throw_no_room(const std::string& name, std::uint64_t bytes, std::uint64_t free, std::uint64_t size) {
  const std::string wanted = mebibytes(size - free + bytes) + "m";
  throw resource_error("segment " + name + " needs " + std::to_string(bytes) + " bytes (" + mebibytes(bytes) +
                       " MiB) of shared memory, but /dev/shm has only " + std::to_string(free) + " bytes (" +
                       std::to_string(free >> 20) + " MiB) free; enlarge it (docker run --shm-size=" + wanted +
                       ", or mount -o remount,size=" + wanted +
                       " /dev/shm), or free it (hogwild segments --purge removes what dead runs left)");
}

/// Throws if `bytes` more are not available: beyond the limit on file sizes, or beyond the free space of /dev/shm
/// (which reports a size of zero if it has no limit).
void check_room(const std::string& name, std::uint64_t bytes) {
  detail::require_file_size("segment " + name, bytes);
  struct statvfs fs {};
  if (::statvfs(std::string(detail::segment_folder).c_str(), &fs) != 0) return;  // creation will report the fault
  const std::uint64_t block = fs.f_frsize, free = fs.f_bavail * block, size = fs.f_blocks * block;
  if (size != 0 && bytes > free) throw_no_room(name, bytes, free, size);
}

/// In pieces, because tmpfs abandons a whole call on a signal, and a periodic signal could keep it from ever ending.
int allocate(int fd, std::uint64_t begin, std::uint64_t bytes) {
  constexpr std::uint64_t piece = 64u << 20;
  for (std::uint64_t at = begin; at < begin + bytes;) {
    const std::uint64_t length = std::min(piece, begin + bytes - at);
    const int failure = ::posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(length));
    if (failure == 0) at += length;
    if (failure != 0 && failure != EINTR) return failure;
  }
  return 0;
}

ipc::mapped_region map(const ipc::shared_memory_object& object, const std::string& name, std::size_t bytes,
                       ipc::mode_t mode = ipc::read_write) {
  try {
    ipc::mapped_region region(object, mode, 0, bytes);
    ::madvise(region.get_address(), region.get_size(), MADV_HUGEPAGE);
    return region;
  } catch (const ipc::interprocess_exception& failure) {
    throw resource_error("segment " + name + " of " + std::to_string(bytes) + " bytes cannot be mapped (" +
                         failure.what() + "); look at the limit on virtual memory (ulimit -v)");
  }
}

ipc::shared_memory_object create_object(const std::string& name) {
  try {
    return {ipc::create_only, name.c_str(), ipc::read_write, ipc::permissions(0600)};
  } catch (const ipc::interprocess_exception& failure) {
    if (failure.get_error_code() == ipc::already_exists_error) {
      throw segment_error("a segment named " + name +
                          " exists already; choose another name, or remove it with hogwild " +
                          "segments --purge if its owner is dead");
    }
    throw segment_error("segment " + name + " cannot be created (" + failure.what() +
                        "); /dev/shm must be a tmpfs that this user may write");
  }
}

ipc::shared_memory_object open_object(const std::string& name, ipc::mode_t mode = ipc::read_write) {
  try {
    return {ipc::open_only, name.c_str(), mode};
  } catch (const ipc::interprocess_exception& failure) {
    if (failure.get_error_code() == ipc::not_found_error) {
      throw segment_error::missing("there is no segment named " + name +
                                   ": the run has ended or the name is misspelt; hogwild segments lists what stands");
    }
    throw segment_error("segment " + name + " cannot be opened (" + failure.what() +
                        "); only the user who created it may attach");
  }
}

void copy_text(const std::string& text, char* field, std::size_t size) {
  std::memcpy(field, text.data(), std::min(text.size(), size - 1));
}

void write_header(segment_header& header, std::uint64_t bytes, const segment_identity& identity) {
  header.magic = segment_magic;
  header.abi_version = segment_abi_version;
  header.layout_hash = identity.layout_hash;
  header.build_id = identity.build_id;
  header.total_bytes = bytes;
  header.owner = process_identity::current();
  header.created_at =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  header.uid = ::geteuid();
  copy_text(identity.model_name, header.model_name, sizeof header.model_name);
  copy_text(identity.label, header.label, sizeof header.label);
  std::atomic_ref(header.ready).store(1, std::memory_order_release);
}

/// Waits for the header of a segment that is ready; nothing after a second.
segment_header await_header(const std::string& name, int fd) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (;;) {
    const segment_header header = read_header(fd);
    if (header.magic != 0 && header.magic != segment_magic) {
      throw segment_error(name +
                          " in /dev/shm is not a segment of this program; hogwild segments lists those that are");
    }
    if (header.ready != 0) return header;
    if (std::chrono::steady_clock::now() > deadline) {
      throw segment_error("segment " + name +
                          " is not ready after a second: its creator is slow or died while making " +
                          "it; try again, or remove it with hogwild segments --purge");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void check_identity(const std::string& name, const segment_header& header, const segment_identity& mine) {
  const std::string model = mine.model_name.substr(0, sizeof header.model_name - 1);
  if (text_of(header.model_name) != model) {
    throw segment_error("segment " + name + " belongs to a run of the model " + text_of(header.model_name) +
                        ", not of " + model + "; start the worker with the model of that run");
  }
  if (header.build_id != mine.build_id) {
    throw segment_error("segment " + name + " was created by another build of the program; start the worker from the " +
                        "same binary as process " + std::to_string(header.owner.pid));
  }
  if (header.layout_hash != mine.layout_hash) {
    throw segment_error("segment " + name +
                        " has another layout than this program expects; start the worker with the " +
                        "same model options and optimiser as process " + std::to_string(header.owner.pid));
  }
}

void check_file(const std::string& name, int fd, const segment_header& header) {
  struct stat file {};
  if (::fstat(fd, &file) != 0) throw std::system_error(errno, std::generic_category(), "fstat of segment " + name);
  if (file.st_uid != ::geteuid()) {
    throw segment_error("segment " + name + " belongs to user " + std::to_string(file.st_uid) +
                        ", this process runs as " + std::to_string(::geteuid()) +
                        "; run the worker as the user who created it");
  }
  if ((file.st_mode & 0777) != 0600) {
    throw segment_error("segment " + name +
                        " is open to other users (its mode is not 0600), so that its contents cannot " +
                        "be trusted; end the run, remove the segment and start again");
  }
  if (header.abi_version != segment_abi_version) {
    throw segment_error("segment " + name + " has ABI version " + std::to_string(header.abi_version) +
                        ", this program has " + std::to_string(segment_abi_version) +
                        "; start the worker from the version that created it");
  }
  if (header.total_bytes < segment_header_bytes || header.total_bytes != static_cast<std::uint64_t>(file.st_size)) {
    throw segment_error("segment " + name + " has " + std::to_string(file.st_size) + " bytes where its header says " +
                        std::to_string(header.total_bytes) + ": it is damaged; remove it and start the run again");
  }
}

}  // namespace

struct segment::state {
  std::string name;
  ipc::shared_memory_object object{};
  ipc::mapped_region region{};
  pid_t creator = 0;          ///< 0 for an attacher and after unlink
  cleanup_handler at_once{};  ///< of the creator; declared last, so that it is dropped before what it uses

  int fd() const { return object.get_mapping_handle().handle; }

  void unlink() noexcept {
    // A forked child inherits the handle but must not remove the name.
    if (creator == ::getpid()) remove_name();
    creator = 0;
    at_once = {};
  }

  void remove_name() const noexcept {
    // If our name was removed, it may now belong to another segment.
    if (names_file(name, fd())) ::shm_unlink(("/" + name).c_str());
  }

  ~state() { unlink(); }
};

segment::segment(std::unique_ptr<state> s) noexcept : state_(std::move(s)) {}
segment::segment(segment&&) noexcept = default;
segment& segment::operator=(segment&&) noexcept = default;
segment::~segment() = default;

segment segment::create(const std::string& name, std::size_t bytes, const segment_identity& identity,
                        const placing& place) {
  check_name(name);
  if (bytes < segment_header_bytes) {
    throw segment_error("segment " + name + " of " + std::to_string(bytes) + " bytes has no room for its header of " +
                        std::to_string(segment_header_bytes));
  }
  check_room(name, bytes);
  std::unique_ptr<state> made(new state{.name = name});
  made->at_once =
      cleanup_handler::of_what([&] { made->object = create_object(name); }, [s = made.get()] { s->remove_name(); });
  made->creator = ::getpid();
  if (!lock_file(made->fd(), LOCK_EX) || !names_file(name, made->fd())) {
    throw segment_error("segment " + name + " was removed while it was being made; try again");
  }
  if (::ftruncate(made->fd(), static_cast<off_t>(bytes)) != 0) {
    throw resource_error("segment " + name + " cannot have " + std::to_string(bytes) + " bytes (" +
                         std::generic_category().message(errno) + ")");
  }
  made->region = map(made->object, name, bytes);
  // Failures are repeated below.
  const auto part = [fd = made->fd()](std::size_t at, std::size_t length) { allocate(fd, at, length); };
  if (place) place(static_cast<std::byte*>(made->region.get_address()), part);
  if (const int failure = allocate(made->fd(), 0, bytes); failure != 0) {
    made.reset();  // frees the memory, so that the message can tell how much is free
    if (failure == ENOSPC) check_room(name, bytes);
    throw resource_error("segment " + name + ": " + std::to_string(bytes) +
                         " bytes of shared memory are not available (" + std::generic_category().message(failure) +
                         "); free memory or enlarge /dev/shm");
  }
  write_header(*static_cast<segment_header*>(made->region.get_address()), bytes, identity);
  return segment(std::move(made));
}

segment segment::attach(const std::string& name, const segment_identity& identity) {
  check_name(name);
  std::unique_ptr<state> opened(new state{.name = name, .object = open_object(name)});
  const segment_header header = await_header(name, opened->fd());
  check_file(name, opened->fd(), header);
  check_identity(name, header, identity);
  opened->region = map(opened->object, name, header.total_bytes);
  auto& mapped = *static_cast<segment_header*>(opened->region.get_address());
  if (std::atomic_ref(mapped.ready).load(std::memory_order_acquire) == 0) {
    throw segment_error("segment " + name + " changed while it was attached; start the run again");
  }
  return segment(std::move(opened));
}

segment segment::look_at(const std::string& name, std::uint64_t layout_hash) {
  check_name(name);
  std::unique_ptr<state> opened(new state{.name = name, .object = open_object(name, ipc::read_only)});
  const segment_header header = await_header(name, opened->fd());
  check_file(name, opened->fd(), header);
  if (header.layout_hash != layout_hash)
    throw segment_error("segment " + name + " has another layout than this program reads; read it with a program of " +
                        "the version that process " + std::to_string(header.owner.pid) + " runs");
  opened->region = map(opened->object, name, header.total_bytes, ipc::read_only);
  return segment(std::move(opened));
}

std::byte* segment::data() const noexcept {
  return static_cast<std::byte*>(state_->region.get_address());
}
std::size_t segment::bytes() const noexcept {
  return state_->region.get_size();
}
const segment_header& segment::header() const noexcept {
  return *reinterpret_cast<const segment_header*>(data());
}
const std::string& segment::name() const noexcept {
  return state_->name;
}
bool segment::owner() const noexcept {
  return state_->creator != 0;
}
void segment::unlink() noexcept {
  state_->unlink();
}
bool segment::creator_lives() const noexcept {
  if (owner() || !lock_file(state_->fd(), LOCK_SH | LOCK_NB)) return true;
  lock_file(state_->fd(), LOCK_UN);
  return false;
}

}  // namespace hogwild
