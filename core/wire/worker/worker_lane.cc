#include "core/wire/worker/worker_lane.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "core/system/posix/pass_descriptor.h"

namespace muster {
namespace {

constexpr unsigned kNeverRun = 8;  // MFD_NOEXEC_SEAL, which headers older than Linux 6.3 lack

UniqueFd memory_file() {
  constexpr unsigned kHow = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd file(memfd_create("muster lane", kHow | kNeverRun));
  if (!file.valid() && errno == EINVAL) file = UniqueFd(memfd_create("muster lane", kHow));
  if (!file.valid() || ftruncate(file.get(), sizeof(LaneMemory)) != 0) return UniqueFd();
  // Else a rank could shorten it, and our next look at it would end us.
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return UniqueFd();
  return file;
}

}  // namespace

std::unique_ptr<WorkerLane> WorkerLane::make() {
  UniqueFd file = memory_file();
  if (!file.valid()) return nullptr;
  constexpr int kHow = MAP_SHARED | MAP_POPULATE;  // now or never: later a lack of memory is nothing to be refused
  void* memory = mmap(nullptr, sizeof(LaneMemory), PROT_READ | PROT_WRITE, kHow, file.get(), 0);
  if (memory == MAP_FAILED) return nullptr;
  return std::unique_ptr<WorkerLane>(new WorkerLane(*static_cast<LaneMemory*>(memory), std::move(file)));
}

WorkerLane::~WorkerLane() { munmap(memory_, sizeof(LaneMemory)); }

bool WorkerLane::lend(int socket, std::string_view frame) {
  const ssize_t sent = send_with_descriptor(socket, frame, file_.get(), MSG_DONTWAIT);
  file_.reset();
  return sent == static_cast<ssize_t>(frame.size());
}

void WorkerLane::wake() { syscall(SYS_futex, &end_.count(), FUTEX_WAKE, 1, nullptr, nullptr, 0); }

void WorkerLane::answer(size_t size) {
  if (end_.answer(size)) wake();
}

void WorkerLane::answer_on_socket() {
  if (end_.answer_on_socket()) wake();
}

}  // namespace muster
