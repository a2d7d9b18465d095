// A link between two network namespaces that takes real time: what goes in at one end comes out at
// the other after the time that its bytes take at a rate, and a delay. Each end is a TUN interface;
// this process holds every packet for as long as that takes. A packet that finds more than 16 MiB
// waiting is dropped, as a switch would.
//   delayed_link NAMESPACE:INTERFACE NAMESPACE:INTERFACE DELAY_US MBIT_PER_SECOND
// Prints "ready" when both interfaces are there, and runs until it is killed. Linux, root.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace {

constexpr size_t kMostWaiting = size_t{16} << 20, kLargestPacket = 65536;

[[noreturn]] void fail(const std::string& what) {
  std::perror(("delayed_link: " + what).c_str());
  std::exit(1);
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int open_end(const std::string& end) {
  const size_t colon = end.find(':');
  const std::string space = "/var/run/netns/" + end.substr(0, colon);
  const int file = ::open(space.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::setns(file, CLONE_NEWNET) != 0) fail(space);
  ::close(file);
  const int tun = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0) fail("/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, end.substr(colon + 1).c_str(), IFNAMSIZ - 1);
  if (::ioctl(tun, TUNSETIFF, &request) != 0) fail(end);
  return tun;
}

// One direction.
class Pipe {
 public:
  Pipe(int from, int to, double delay, double bytes_per_second)
      : from_(from), to_(to), delay_(delay), bytes_per_second_(bytes_per_second) {}

  void take() {
    std::vector<char> bytes(kLargestPacket);
    for (ssize_t length; (length = ::read(from_, bytes.data(), bytes.size())) > 0;) {
      const auto size = static_cast<size_t>(length);
      if (waiting_ + size > kMostWaiting) continue;
      const double start = std::max(now(), free_at_);
      free_at_ = start + static_cast<double>(size) / bytes_per_second_;
      packets_.push_back({free_at_ + delay_, {bytes.begin(), bytes.begin() + length}});
      waiting_ += size;
    }
  }
  void give() {
    while (!packets_.empty() && packets_.front().due <= now()) {
      const std::vector<char>& bytes = packets_.front().bytes;
      // What the other end cannot take is lost, as on any link.
      [[maybe_unused]] const ssize_t written = ::write(to_, bytes.data(), bytes.size());
      waiting_ -= bytes.size();
      packets_.pop_front();
    }
  }
  // Seconds until something is due.
  double until_due() const { return packets_.empty() ? 1 : packets_.front().due - now(); }

 private:
  struct Packet {
    double due;
    std::vector<char> bytes;
  };

  int from_, to_;
  double delay_, bytes_per_second_;
  double free_at_ = 0;  // when the wire has sent what it has
  size_t waiting_ = 0;
  std::deque<Packet> packets_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr,
                 "usage: delayed_link NAMESPACE:INTERFACE NAMESPACE:INTERFACE DELAY_US MBIT\n");
    return 2;
  }
  const int left = open_end(argv[1]), right = open_end(argv[2]);
  const double delay = 1e-6 * std::atof(argv[3]), rate = 1e6 / 8 * std::atof(argv[4]);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // so that it wakes when a packet is due, not 50 us later
  std::printf("ready\n");
  std::fflush(stdout);
  Pipe there(left, right, delay, rate), back(right, left, delay, rate);
  for (;;) {
    pollfd ends[] = {{left, POLLIN, 0}, {right, POLLIN, 0}};
    const double wait = std::max(0.0, std::min(there.until_due(), back.until_due()));
    const timespec timeout{
        static_cast<time_t>(wait),
        static_cast<long>(1e9 * (wait - static_cast<double>(static_cast<time_t>(wait))))};
    ::ppoll(ends, 2, &timeout, nullptr);
    there.take();
    back.take();
    there.give();
    back.give();
  }
}
