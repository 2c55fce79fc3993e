// SPDX-License-Identifier: Apache-2.0
// Emulates a long wire: makes a TUN device, and returns every packet that is routed into it some time later.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

struct packet {
  clock_type::time_point due;
  std::vector<char> bytes;
};

volatile std::sig_atomic_t asked_to_stop = 0;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// The device lives as long as this descriptor.
class tun_device {
 public:
  explicit tun_device(const std::string& name) {
    if (name.empty() || name.size() >= IFNAMSIZ) throw std::runtime_error("a device has a name of 1 to 15 characters");
    fd_ = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) fail("/dev/net/tun cannot be opened");
    ifreq request{};
    // A header before each packet says what work the kernel has left undone, so that it may pass on many segments at
    // once.
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    if (::ioctl(fd_, TUNSETIFF, &request) != 0) {
      const int reason = errno;
      ::close(fd_);
      errno = reason;
      fail("the device " + name + " cannot be made");
    }
    if (::ioctl(fd_, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0) std::fputs("delay_relay: no offload\n", stderr);
  }
  tun_device(const tun_device&) = delete;
  tun_device& operator=(const tun_device&) = delete;
  ~tun_device() { ::close(fd_); }

  int descriptor() const { return fd_; }

  /// Reads a packet into `room`; returns its bytes, 0 if no packet waits.
  std::size_t read(std::vector<char>& room) const {
    const ssize_t n = ::read(fd_, room.data(), room.size());
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EAGAIN || errno == EINTR) return 0;
    if (errno == EIO) return 0;  // the device is not up
    fail("packets cannot be read");
  }
  /// A packet that the kernel refuses is lost, as on any wire.
  void write(const std::vector<char>& bytes) const {
    if (::write(fd_, bytes.data(), bytes.size()) < 0 && (errno == EBADF || errno == EBADFD))
      fail("packets cannot be written");
  }

 private:
  int fd_ = -1;
};

class delay_line {
 public:
  delay_line(std::chrono::nanoseconds delay, std::size_t most_bytes) : delay_(delay), most_bytes_(most_bytes) {}

  void run(const tun_device& device) {
    std::vector<char> room(std::size_t{1} << 17);
    while (asked_to_stop == 0) {
      wait(device.descriptor());
      for (int i = 0; i < 64; ++i) {  // then checks whether a packet is due
        const std::size_t n = device.read(room);
        if (n == 0) break;
        take(room, n);
      }
      while (!line_.empty() && line_.front().due <= clock_type::now()) {
        device.write(line_.front().bytes);
        held_ -= line_.front().bytes.size();
        line_.pop_front();
      }
    }
  }

 private:
  void wait(int fd) const {
    std::chrono::nanoseconds left = std::chrono::milliseconds(100);
    if (!line_.empty()) {
      left = std::max<std::chrono::nanoseconds>(line_.front().due - clock_type::now(), std::chrono::nanoseconds(0));
    }
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    const timespec timeout{.tv_sec = static_cast<time_t>(left.count() / 1'000'000'000),
                           .tv_nsec = static_cast<long>(left.count() % 1'000'000'000)};
    ::ppoll(&readable, 1, &timeout, nullptr);
  }

  void take(const std::vector<char>& room, std::size_t n) {
    if (held_ + n > most_bytes_) return;  // lost
    held_ += n;
    line_.push_back({clock_type::now() + delay_,
                     {room.begin(), room.begin() + static_cast<std::vector<char>::difference_type>(n)}});
  }

  std::chrono::nanoseconds delay_;
  std::size_t most_bytes_, held_ = 0;
  std::deque<packet> line_;
};

void stop_when_asked() {
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_stop = 1; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // if the parent ends, so does the network
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Makes a TUN device in this network namespace and gives every packet that is routed into it back later.");
  std::string name;
  double milliseconds = 0.0;
  std::size_t megabytes = 256;
  app.add_option("--device", name, "how the device is called")->required();
  app.add_option("--milliseconds", milliseconds, "how much later")->required()->check(CLI::Range(0.0, 10000.0));
  app.add_option("--megabytes", megabytes, "how much may be under way; what comes on top is lost")
      ->check(CLI::Range(1, 4096));
  CLI11_PARSE(app, argc, argv);
  try {
    stop_when_asked();
    const tun_device device(name);
    const std::chrono::duration<double, std::milli> delay(milliseconds);
    delay_line(std::chrono::duration_cast<std::chrono::nanoseconds>(delay), megabytes << 20).run(device);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
  return 0;
}
