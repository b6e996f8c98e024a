// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/fetch.h"

#include <stdlib.h>
#include <sys/socket.h>

#include <csignal>
#include <filesystem>

#include "backends/ssh/code/archive_intake.h"
#include "core/base/text.h"
#include "core/system/asio/asio_loop.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Files are first unpacked into a temporary folder, so that incomplete files are not mistaken for results.
class Arrivals {
 public:
  explicit Arrivals(fs::path target) : target_(std::move(target)) {}
  ~Arrivals() {
    std::error_code error;
    open_folders();
    fs::remove_all(own_, error);
  }

  Status make() {
    std::error_code error;
    fs::create_directories(target_, error);
    std::string name = target_ / ".muster-fetch-XXXXXX";
    if (error || mkdtemp(name.data()) == nullptr) return errno_status(errno, "write in " + target_.string());
    own_ = name;
    return Status();
  }
  const fs::path& folder() const { return own_; }

  Status settle() const {
    open_folders();
    return merge(own_, target_);
  }

 private:
  // Makes folders writable; otherwise they could be neither moved nor removed.
  void open_folders() const {
    std::error_code error;
    for (fs::recursive_directory_iterator each(own_, error), end; !error && each != end; each.increment(error)) {
      std::error_code ignored;
      if (is_folder(each->path())) fs::permissions(each->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  static bool is_folder(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }

  // Merges folders and replaces everything else. Links are never followed: a host could send a link first, and then a file to be
  // written through it.
  static Status merge(const fs::path& from, const fs::path& to) {
    std::error_code error;
    for (fs::directory_iterator each(from, error), end; !error && each != end; each.increment(error)) {
      const fs::path there = to / each->path().filename();
      const bool folder = is_folder(there) && is_folder(each->path());
      const Status merged = folder ? merge(each->path(), there) : replace(each->path(), there);
      if (!merged.ok()) return merged;
    }
    return error ? Status(Code::unavailable, from.string() + ": " + error.message()) : Status();
  }

  static Status replace(const fs::path& from, const fs::path& to) {
    std::error_code error;
    if (!is_folder(to)) fs::remove(to, error);
    fs::rename(from, to, error);
    return error ? Status(Code::unavailable, "cannot replace " + to.string() + ": " + error.message()) : Status();
  }

  const fs::path target_;
  fs::path own_;
};

// Exit codes of tar.
constexpr int kChanged = 1;  // a file changed while tar read it, as in a running job
constexpr int kUnread = 2;   // some files could not be read

struct Outcome {
  std::optional<ssh::SshTrouble> trouble;
  std::optional<HelperEnd> end;
  std::optional<ArchiveIntake::Arrived> arrived;

  bool over() const { return trouble || (arrived && end); }
};

// True if the host's program reported an error of its own, and did not only end because the connection was closed.
bool reported_error(const HelperEnd& end) {
  constexpr int kSsh = 255;
  constexpr int kBrokenPipe = 128 + SIGPIPE;
  return end.code != 0 && end.code != kSsh && end.code != kBrokenPipe && !ssh::failure_message(end.errors).empty();
}

Status status_of(const std::string& host, const Outcome& outcome, bool bounded) {
  if (outcome.trouble) return Status(Code::unavailable, host + ": " + sentence_of(*outcome.trouble));
  const Status& unpacked = outcome.arrived->status;
  if (unpacked.code() == Code::resource_exhausted)
    return Status(unpacked.code(),
                  host + ": " + unpacked.message() +
                      (bounded ? " (--most)" : ", the space available on this disk; --most SIZE allows more") +
                      "; no files were kept");
  const HelperEnd& end = *outcome.end;
  const bool came = unpacked.ok() && (end.code == kChanged || end.code == kUnread);
  if (!came && reported_error(end)) return Status(Code::not_found, host + ": " + ssh::failure_message(end.errors));
  if (!came && unpacked.ok() && end.code != 0)
    return Status(Code::data_loss, host + ": it ended before everything was sent");
  return unpacked.ok() ? Status() : Status(unpacked.code(), host + ": " + unpacked.message());
}

}  // namespace

std::vector<std::string> unread_of(const std::string& errors) {
  constexpr std::string_view kTar = "tar: ";
  std::vector<std::string> unread;
  for (std::string line : split(errors, '\n')) {
    const size_t at = line.find(kTar);  // "/bin/tar: " too
    const bool about_a_file = at != std::string::npos && line.find(": Cannot ") != std::string::npos;
    if (!about_a_file) continue;
    line.erase(0, at + kTar.size());
    unread.push_back(escaped(line.starts_with("./") ? line.substr(2) : line));
  }
  return unread;
}

Result<std::vector<std::string>> fetch(const CallerContext& caller, std::shared_ptr<const HostAccess> access,
                                       const std::string& host, const FetchOrder& order, const std::string& target,
                                       std::optional<uint64_t> most) {
  Arrivals arrivals{fs::path(caller.workdir) / target};
  if (const Status made = arrivals.make(); !made.ok()) return made;
  AsioLoop loop;
  Outcome outcome;
  const std::string line = to_line(order) + "\n";
  ArchiveIntake intake(loop, caller, arrivals.folder(), most.value_or(room_for_arrivals(arrivals.folder())),
                       [&](const ArchiveIntake::Arrived& arrived) { outcome.arrived = arrived; });
  HostSession session(loop, std::move(access), host, caller.interactive(), {"pack"},
                      {[&](HostArrival arrival) {
                         (void)send(arrival.stream.get(), line.data(), line.size(), MSG_NOSIGNAL);
                         intake.begin(std::move(arrival.stream));
                       },
                       [&](const HelperEnd& end) { outcome.end = end; },
                       [&](const ssh::SshTrouble& trouble) { outcome.trouble = trouble; }});
  while (!outcome.over() && loop.run_one()) continue;
  Status status = status_of(host, outcome, most.has_value());
  if (status.ok()) status = arrivals.settle();
  if (!status.ok()) return status;
  return outcome.end->code == kUnread ? unread_of(outcome.end->errors) : std::vector<std::string>();
}

}  // namespace muster
