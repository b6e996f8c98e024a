// Who hosts a job: an flock, which the kernel gives back however the host ends (flock(2)).

#include <fcntl.h>
#include <sys/file.h>

#include "core/adapter/store/file_job_store.h"

namespace muster {

bool FileJobStore::own(const JobId& job) {
  if (owned_.count(job) > 0) return true;
  const std::string path = folder(job) + "/owner";
  store::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  // A disk that takes no new file cannot have another host's lock on it either.
  if (!fd.valid()) return true;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
  owned_[job] = std::move(fd);
  return true;
}

void FileJobStore::disown(const JobId& job) { owned_.erase(job); }

}  // namespace muster
