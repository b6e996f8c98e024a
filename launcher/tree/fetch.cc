#include "launcher/tree/fetch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>

#include "core/adapter/asio/asio_loop.h"
#include "launcher/run_program.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::hours(24);

// What comes is unpacked in a folder of its own first, so that nothing half-way is taken for a result.
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
  // A folder that may not be written can be neither moved nor removed.
  void open_folders() const {
    std::error_code error;
    for (fs::recursive_directory_iterator each(own_, error), end; !error && each != end; each.increment(error)) {
      std::error_code ignored;
      if (is_folder(each->path())) fs::permissions(each->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  static bool is_folder(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }

  // A folder that is there gets what is new; all else is replaced. Links are never followed: a host could send one first, and then
  // something to be written behind it.
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
    return error ? Status(Code::unavailable, to.string() + " cannot be replaced: " + error.message()) : Status();
  }

  const fs::path target_;
  fs::path own_;
};

// tar reads what the host sends; the stream is no longer watched by anybody.
Status unpack_from(const Surroundings& surroundings, UniqueFd stream, const fs::path& folder) {
  fcntl(stream.get(), F_SETFL, fcntl(stream.get(), F_GETFL) & ~O_NONBLOCK);
  HelperProgram tar{.argv = {"tar", "--extract", "--gzip", "--no-same-owner", "--no-same-permissions",
                             "--directory=" + folder.string()},
                    .environment = surroundings.environment,
                    .patience = kPatience};
  tar.input = stream.get();
  const auto done = run_program(tar, false);  // what it misses, a full disk, it says itself
  if (!done.ok()) return done.status();
  return done->exit_code == 0 ? Status() : Status(Code::data_loss, "what came is not whole");
}

struct Outcome {
  std::optional<ssh::SshTrouble> trouble;
  std::optional<HelperEnd> end;
  Status unpacked;
};

Status status_of(const std::string& host, const Outcome& outcome) {
  if (outcome.trouble) return Status(Code::unavailable, host + ": " + sentence_of(*outcome.trouble));
  const std::string said = ssh::last_words(outcome.end->errors);
  // tar's own 1: a file changed while it was read, as those of a job that runs do.
  const bool came = outcome.end->code == 1 && outcome.unpacked.ok();
  if (outcome.end->code != 0 && !came)
    return Status(Code::not_found, host + ": " + (said.empty() ? "it sent nothing" : said));
  return outcome.unpacked;
}

}  // namespace

Status fetch(const Surroundings& surroundings, std::shared_ptr<const HostAccess> access, const std::string& host,
             const FetchOrder& order, const std::string& target) {
  Arrivals arrivals{fs::path(surroundings.workdir) / target};
  if (const Status made = arrivals.make(); !made.ok()) return made;
  AsioLoop loop;
  Outcome outcome;
  const std::string line = to_line(order) + "\n";
  HostSession session(loop, std::move(access), host, surroundings.interactive(), {"pack"},
                      {[&](HostArrival arrival) {
                         (void)send(arrival.stream.get(), line.data(), line.size(), MSG_NOSIGNAL);
                         outcome.unpacked = unpack_from(surroundings, std::move(arrival.stream), arrivals.folder());
                       },
                       [&](const HelperEnd& end) { outcome.end = end; },
                       [&](const ssh::SshTrouble& trouble) { outcome.trouble = trouble; }});
  while (!outcome.end && !outcome.trouble && loop.run_one()) continue;
  const Status status = status_of(host, outcome);
  return status.ok() ? arrivals.settle() : status;
}

}  // namespace muster
