// SPDX-License-Identifier: Apache-2.0
// The only file of core/job that reads the disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/job/document/yaml_prescan.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

Status check_kind(const struct stat& info, const std::string& path) {
  const std::string quoted = "`" + path + "`";
  if (S_ISDIR(info.st_mode)) return Status(Code::invalid_argument, quoted + " is a folder, not a job file");
  if (!S_ISREG(info.st_mode)) return Status(Code::invalid_argument, quoted + " is not a regular file");
  if (static_cast<uint64_t>(info.st_size) <= kMaxYamlBytes) return Status();
  return Status(Code::resource_exhausted, quoted + " has " + humane_size(static_cast<uint64_t>(info.st_size)) +
                                              "; a job file has at most " + humane_size(kMaxYamlBytes));
}

// Reads one byte more than the limit, so that the parser refuses a file that grew meanwhile.
Result<std::string> read_at_most_limit(int file, const std::string& path) {
  std::string text(kMaxYamlBytes + 1, '\0');
  size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = read(file, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_status(errno, "cannot read `" + path + "`");
    if (count == 0) break;
    length += static_cast<size_t>(count);
  }
  text.resize(length);
  return text;
}

}  // namespace

Diagnostic unreadable_file(const std::string& file, const Status& why) {
  Diagnostic problem;
  problem.code = why.code() == Code::resource_exhausted ? "E1002" : "E1013";
  problem.where.file = file;
  problem.message = why.message();
  if (problem.code == "E1002")
    problem.help = "a job file describes a job; keep data and programs in files of their own";
  const size_t advice = problem.message.rfind("; ");
  if (problem.code == "E1002" || advice == std::string::npos) return problem;
  problem.help = problem.message.substr(advice + 2);
  problem.message.resize(advice);
  return problem;
}

Result<std::string> read_job_file(const std::string& path) {
  // Non-blocking, because open() of a pipe without a writer would block forever.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return errno_status(errno, "cannot open `" + path + "`");
  struct stat info {};
  Status kind = fstat(file, &info) == 0 ? check_kind(info, path) : errno_status(errno, "cannot read `" + path + "`");
  Result<std::string> text = kind.ok() ? read_at_most_limit(file, path) : Result<std::string>(kind);
  close(file);
  return text;
}

}  // namespace muster
