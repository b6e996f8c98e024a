// Who hosts a job: an flock, which the kernel gives back however the host ends (flock(2)).

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/file_job_store.h"
#include "core/system/store/files.h"

namespace muster {

bool FileJobStore::own(const JobId& job) {
  if (owned_.count(job) > 0) return true;
  if (!own_folder(job, folder(job))) return false;
  store::remove_half_written(folder(job));  // of the host before, if it was killed
  return true;
}

bool FileJobStore::own_folder(const JobId& job, const std::string& at) {
  const std::string path = at + "/owner";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  // A disk that takes no new file: it has no other host's lock on one either.
  if (!fd.valid()) return errno == ENOSPC || errno == EDQUOT || errno == EROFS;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
  owned_[job] = std::move(fd);
  return true;
}

void FileJobStore::disown(const JobId& job) {
  close_journal(job);  // nobody of ours writes to it any more
  owned_.erase(job);
}

}  // namespace muster
