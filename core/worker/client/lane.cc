#include "core/worker/client/lane.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace muster::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kSlice = std::chrono::milliseconds(100);

void sleep_while(std::atomic<uint32_t>& word, uint32_t value, Duration most) {
  const timespec time{0, static_cast<long>(std::clamp<int64_t>(most.count(), 0, kSlice.count()))};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

bool hung_up(int socket) {
  char byte = 0;
  const ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// At its size for good: otherwise reading it could end the program.
bool is_lent(int memory) {
  struct stat facts {};
  const int seals = fcntl(memory, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(memory, &facts) == 0 &&
         facts.st_size == static_cast<off_t>(sizeof(LaneMemory));
}

}  // namespace

size_t receive_lent(int socket, char* bytes, size_t most, int& memory) {
  iovec place{bytes, most};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  const cmsghdr* lent = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (lent != nullptr && lent->cmsg_level == SOL_SOCKET && lent->cmsg_type == SCM_RIGHTS)
    std::memcpy(&memory, CMSG_DATA(lent), sizeof memory);
  return static_cast<size_t>(std::max<ssize_t>(got, 0));
}

std::unique_ptr<Lane> Lane::map(int memory) {
  if (!is_lent(memory)) return nullptr;
  void* mapped = mmap(nullptr, sizeof(LaneMemory), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (mapped == MAP_FAILED) return nullptr;
  return std::unique_ptr<Lane>(new Lane(*static_cast<LaneMemory*>(mapped)));
}

Lane::~Lane() { munmap(memory_, sizeof(LaneMemory)); }

bool Lane::look(Duration time) const {
  for (const auto until = Clock::now() + time; Clock::now() < until;) {
    if (end_.answered()) return true;
  }
  return end_.answered();
}

// In slices: a futex does not wake when the socket closes. A signal ends a slice as well, so both are looked at after
// each.
Lane::Waited Lane::wait(Duration patience, int socket) {
  const bool for_ever = patience <= Duration(0);
  std::optional<Clock::time_point> deadline;
  Duration left = for_ever ? kSlice : patience;
  Waited waited = Waited::answered;
  for (uint32_t seen = 0; waited == Waited::answered && end_.begin_to_sleep(seen);) {
    if (!deadline) deadline = Clock::now() + patience;
    sleep_while(end_.count(), seen, left);
    if (end_.answered()) break;
    if (!for_ever) left = *deadline - Clock::now();
    if (left <= Duration(0)) waited = Waited::late;
    if (hung_up(socket) && !end_.answered()) waited = Waited::hung_up;
  }
  end_.end_sleep();
  return waited;
}

}  // namespace muster::worker
