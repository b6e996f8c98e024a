// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/archive_intake.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "backends/ssh/session/ssh_words.h"
#include "core/base/text.h"
#include "core/client/run_program.h"

namespace muster {
namespace {

constexpr size_t kBlock = 1 << 16;
constexpr uint64_t kMostReserve = 1ULL << 30;

}  // namespace

uint64_t room_for_arrivals(const std::string& folder) {
  struct statvfs about {};
  if (statvfs(folder.c_str(), &about) != 0) return UINT64_MAX;
  const uint64_t available = static_cast<uint64_t>(about.f_bavail) * about.f_frsize;
  return available - std::min(kMostReserve, available / 10);
}

ByteStream::ByteStream(FdLoop& loop, int from, int to, std::function<bool(size_t)> counts, std::function<void()> ended)
    : loop_(loop),
      from_(from),
      to_(to),
      counts_(std::move(counts)),
      ended_(std::move(ended)),
      reads_(loop.watch_readable(from, [this] { read_some(); })) {}

void ByteStream::read_some() {
  block_.resize(kBlock);
  written_ = 0;
  const ssize_t length = read(from_, block_.data(), block_.size());
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  block_.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
  if (block_.empty() || !counts_(block_.size())) return end();
  write_some();
}

// The next block is read only after this one has been written.
void ByteStream::write_some() {
  while (written_ < block_.size()) {
    const ssize_t sent = send(to_, block_.data() + written_, block_.size() - written_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      reads_.reset();
      if (!writes_) writes_ = loop_.watch_writable(to_, [this] { write_some(); });
      return;
    }
    if (sent < 0) return end();
    written_ += static_cast<size_t>(sent);
  }
  writes_.reset();
  if (!reads_) reads_ = loop_.watch_readable(from_, [this] { read_some(); });
}

void ByteStream::end() {
  reads_.reset();
  writes_.reset();
  if (ended_) std::exchange(ended_, nullptr)();
}

ArchiveIntake::ArchiveIntake(FdLoop& loop, const CallerContext& caller, std::string folder, uint64_t most,
                             std::function<void(const Arrived&)> done)
    : loop_(loop),
      caller_(caller),
      folder_(std::move(folder)),
      most_(most),
      done_(std::move(done)) {}

std::unique_ptr<HelperProcess> ArchiveIntake::start(const std::string& name, const std::vector<std::string>& arguments,
                                                    std::function<void(const HelperEnd&)> ended) {
  const std::string program = find_program(name, caller_.variable("PATH").value_or(""), "");
  auto process = program.empty() ? Result<std::unique_ptr<HelperProcess>>(Status(
                                       Code::not_found, name + " is not in PATH; install it: apt-get install " + name))
                                 : HelperProcess::start(loop_, {program, arguments, caller_.environment}, ended);
  if (process.ok()) return std::move(*process);
  finish(process.status());
  return nullptr;
}

void ArchiveIntake::begin(UniqueFd stream) {
  stream_ = std::move(stream);
  gzip_ = start("gzip", {"-dc"}, [this](const HelperEnd& end) {
    gzip_end_ = end;
    if (tar_end_) unpacked(*tar_end_);
  });
  if (gzip_) {
    tar_ = start("tar", {"--extract", "--no-same-owner", "--no-same-permissions", "--directory=" + folder_},
                 [this](const HelperEnd& end) {
                   tar_end_ = end;
                   if (gzip_end_ || end.code != 0) return unpacked(end);
                   second_.reset();
                   rest_ = loop_.watch_readable(plain_.get(), [this] { pass_over(); });
                 });
  }
  if (!gzip_ || !tar_) return;
  packed_ = gzip_->take_stream();
  plain_ = UniqueFd(fcntl(packed_.get(), F_DUPFD_CLOEXEC, 0));
  tar_in_ = tar_->take_stream();
  first_ = std::make_unique<ByteStream>(
      loop_, stream_.get(), packed_.get(), [](size_t) { return true; }, [this] { shutdown(packed_.get(), SHUT_WR); });
  second_ = std::make_unique<ByteStream>(
      loop_, plain_.get(), tar_in_.get(), [this](size_t bytes) { return count(bytes); },
      [this] { shutdown(tar_in_.get(), SHUT_WR); });
}

bool ArchiveIntake::count(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= most_) return true;
  finish(Status(Code::resource_exhausted, "it sent more than " + humane_size(most_)));
  return false;
}

// Reads past the end of the archive, because only gzip knows whether the stream is complete.
void ArchiveIntake::pass_over() {
  std::array<char, kBlock> block{};
  const ssize_t length = read(plain_.get(), block.data(), block.size());
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0 || !count(static_cast<size_t>(length))) rest_.reset();
}

// tar may have failed before gzip has ended.
void ArchiveIntake::unpacked(const HelperEnd& end) {
  const bool whole = end.code == 0 && gzip_end_ && gzip_end_->code == 0;
  const std::string said = ssh::failure_message(end.code != 0 ? end.errors : gzip_end_->errors);
  finish(whole ? Status() : Status(Code::data_loss, "the archive is incomplete" + (said.empty() ? "" : ": " + said)));
}

void ArchiveIntake::finish(const Status& status) {
  if (!done_) return;
  loop_.post([this, done = std::exchange(done_, nullptr), arrived = Arrived{status, bytes_}] {
    first_.reset();
    second_.reset();
    rest_.reset();
    stream_.reset();  // ends the sender
    gzip_.reset();
    tar_.reset();
    done(arrived);
  });
}

}  // namespace muster
