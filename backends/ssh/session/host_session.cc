// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/host_session.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "backends/ssh/session/asked_lately.h"
#include "backends/ssh/session/host_script.h"
#include "backends/ssh/session/shared_connection.h"
#include "core/base/text.h"

namespace muster {
namespace {

using ssh::HostWord;
using ssh::SshTrouble;

constexpr size_t kMostNoise = 64 << 10;  // output of an account's start-up files
constexpr size_t kLongestLine = 4096;
constexpr size_t kMostConfiguration = 256 << 10;
// An sshd that buffers megabytes for a slow reader copies them with each packet that arrives.
constexpr size_t kMostUntaken = 4 * ssh::kPiece;
constexpr int kLinesATurn = 64;
// Limits: without a byte in either direction; while a person is asked for a passphrase; and for bytes of the program that are in buffers
// of ssh and the network.
constexpr Duration kSessionTimeout = std::chrono::seconds(30);
constexpr Duration kPatienceOfPeople = std::chrono::minutes(5);
constexpr Duration kPatienceOfSlowLines = std::chrono::minutes(5);

}  // namespace

HostSession::HostSession(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::string host, bool may_ask,
                         const std::vector<std::string>& words, Handlers handlers)
    : loop_(loop),
      access_(std::move(access)),
      host_(std::move(host)),
      may_ask_(may_ask),
      words_(words),
      handlers_(std::move(handlers)) {
  access_->masters.empty() ? begin() : find_connection();
}

HostSession::~HostSession() {
  loop_.cancel(deadline_);
  loop_.cancel(connected_timer_);
}

void HostSession::find_connection() {
  const auto answer = ssh::take_answer({access_->masters, access_->ssh, host_, access_->environment});
  if (!answer) return ask_configuration();
  socket_ = *answer;
  begin();
}

// Only ssh can evaluate the user's configuration for this host.
void HostSession::ask_configuration() {
  set_deadline(kSessionTimeout);
  auto started =
      HelperProcess::start(loop_, {access_->ssh, ssh::configuration_arguments(host_), access_->environment, true},
                           [this](const HelperEnd& end) {
                             while (read_configuration()) continue;
                             if (end.code != 0) configuration_.clear();  // the login itself reports the error
                             configured();
                           });
  if (!started.ok()) return begin();  // reports the reason
  process_ = std::move(*started);
  stream_ = process_->take_stream();
  reads_ = loop_.watch_readable(stream_.get(), [this] {
    if (!read_configuration()) reads_.reset();  // the end of the process follows
  });
}

bool HostSession::read_configuration() {
  std::array<char, kLongestLine> buffer{};
  const ssize_t length = recv(stream_.get(), buffer.data(), buffer.size(), 0);
  if (length <= 0 || configuration_.size() > kMostConfiguration) return false;
  configuration_.append(buffer.data(), static_cast<size_t>(length));
  return true;
}

void HostSession::configured() {
  drop_process();
  socket_ = ssh::shared_socket(access_->masters, host_, configuration_);
  const ssh::Asked asked{access_->masters, access_->ssh, host_, access_->environment};
  if (access_->passes_on && !configuration_.empty()) ssh::leave_answer(asked, socket_);
  begin();
}

// Destroys the process in a later turn: a handler of it may be running.
void HostSession::drop_process() {
  reads_.reset();
  writes_.reset();
  writing_.reset();
  stream_.reset();
  loop_.post([gone = std::shared_ptr<HelperProcess>(std::move(process_))] {});
  loop_.post([gone = std::shared_ptr<SharedSession>(std::move(shared_))] {});
}

// If the shared connection was dead, tries once without it. Its socket is removed, so that no other session finds it; sessions that use
// it notice its end themselves.
bool HostSession::retry_without_master() {
  if (!std::exchange(through_master_, false) || arrival_.sent_bytes > 0) return false;
  unlink(socket_.c_str());
  drop_process();
  line_.clear();
  outgoing_.clear();
  files_.reset();
  noise_ = written_ = 0;
  begin();
  through_master_ = false;
  return true;
}

void HostSession::begin() {
  through_master_ = !socket_.empty() && access(socket_.c_str(), F_OK) == 0;
  set_deadline(may_ask_ ? kPatienceOfPeople : through_master_ ? access_->patience_of_masters : kSessionTimeout);
  if (through_master_) {
    const auto refused = [this] {
      drop_process();
      begin_ssh();
    };
    shared_ =
        SharedSession::begin(loop_, socket_, ssh::kRemoteShell, access_->environment,
                             {refused, [this](const HelperEnd& end) { process_ended(end); }, handlers_.on_errors});
  }
  if (!shared_) return begin_ssh();
  if (handlers_.connected) connected_timer_ = loop_.at(loop_.now(), [this] { handlers_.connected(); });
  send_script(shared_->take_stream());
}

void HostSession::begin_ssh() {
  auto started = HelperProcess::start(loop_,
                                      {access_->ssh, ssh::ssh_arguments(host_, may_ask_, socket_), access_->environment,
                                       !may_ask_, handlers_.on_errors},
                                      [this](const HelperEnd& end) { process_ended(end); });
  if (!started.ok()) {
    // In a later turn, as all handlers run.
    const std::string why = started.status().message();
    deadline_ = (loop_.cancel(deadline_), loop_.at(loop_.now(), [this, why] { fail({why, "", false}); }));
    return;
  }
  process_ = std::move(*started);
  send_script(process_->take_stream());
}

void HostSession::send_script(UniqueFd stream) {
  stream_ = std::move(stream);
  outgoing_ = ssh::host_script(access_->mark, access_->hash, words_);
  written_ = 0;
  reads_ = loop_.watch_readable(stream_.get(), [this] { read_lines(); });
  write_more();
}

// Reads exactly one line: the bytes after it belong to the receiver of the stream.
std::optional<std::string> HostSession::next_line() {
  std::array<char, kLongestLine> buffer{};
  const ssize_t seen = recv(stream_.get(), buffer.data(), buffer.size(), MSG_PEEK);
  if (seen == 0 || (seen < 0 && errno != EAGAIN && errno != EINTR)) reads_.reset();  // process_ended() follows
  if (seen <= 0) return std::nullopt;
  const auto end = std::find(buffer.begin(), buffer.begin() + seen, '\n');
  const bool whole = end != buffer.begin() + seen;
  const auto length = static_cast<size_t>(end - buffer.begin());
  if (recv(stream_.get(), buffer.data(), length + (whole ? 1 : 0), 0) <= 0) return std::nullopt;
  noise_ += length;
  if (!may_ask_ && arrival_.sent_bytes == 0) set_deadline(kSessionTimeout);
  if (line_.size() < kLongestLine) line_.append(buffer.data(), length);
  return whole ? std::optional(std::exchange(line_, "")) : std::nullopt;
}

void HostSession::read_lines() {
  for (int i = 0; i < kLinesATurn && !arrived_ && !over_; ++i) {
    const std::optional<std::string> line = next_line();
    if (noise_ > kMostNoise) return fail({"its account prints too much at login", "ssh " + host_ + " true", false});
    if (!line) return;
    handle_line(*line);
  }
}

void HostSession::handle_line(const std::string& line) {
  const HostWord word = ssh::read_host_word(line, access_->mark);
  heard_script_ |= word.kind != HostWord::Kind::noise;
  switch (word.kind) {
    case HostWord::Kind::noise: return keep_noise(line);
    case HostWord::Kind::need: return send_program(word.has_zstd && access_->as_zstd);
    case HostWord::Kind::got: return took_piece();
    case HostWord::Kind::libraries: return send_libraries();
    case HostWord::Kind::have: arrival_.folder = word.folder; return arrive();
    case HostWord::Kind::nowhere:
      return fail({"it has no folder where programs may run: neither $XDG_CACHE_HOME, ~/.cache, /var/tmp nor /tmp",
                   "check free space and noexec mounts: ssh " + host_ + " df -h '~' /var/tmp /tmp", false});
    case HostWord::Kind::unfit: unfit_ = true; return;  // its stderr comes with its end
  }
}

void HostSession::keep_noise(const std::string& line) {
  if (const std::string said = ssh::failure_message(line); !said.empty()) last_noise_ = said;
}

void HostSession::send_program(bool as_zstd) {
  if (arrival_.sent_bytes > 0) return fail({"it requested the program twice", "ssh " + host_ + " sh", false});
  const Result<PackedFiles> program = as_zstd ? access_->as_zstd() : access_->program();
  send(program.ok() ? std::to_string((*program)->size()) + (as_zstd ? " zstd\n" : "\n") : "", program);
}

void HostSession::send_libraries() {
  if (std::exchange(sent_libraries_, true))
    return fail({"it requested the libraries twice", "ssh " + host_ + " sh", false});
  send("", access_->libraries());
}

void HostSession::send(const std::string& head, const Result<PackedFiles>& packed) {
  if (!packed.ok()) return fail({packed.status().message(), "", false});
  arrival_.sent_bytes += (*packed)->size();
  outgoing_ += head;
  files_ = *packed;
  taken_ = 0;
  write_more();
}

// The last piece of a file is usually shorter, so taken_ is an upper limit.
void HostSession::took_piece() {
  taken_ = std::min(taken_ + ssh::kPiece, written_);
  if (files_) write_more();
}

// Bytes of files_ are sent at most kMostUntaken ahead of what the host has confirmed.
std::string_view HostSession::unsent() const {
  if (written_ < outgoing_.size()) return std::string_view(outgoing_).substr(written_);
  if (!files_) return "";
  const size_t from = written_ - outgoing_.size();
  const size_t most = std::max(from, taken_ + kMostUntaken);
  return std::string_view(*files_).substr(from, most - from);
}

void HostSession::write_more() {
  for (std::string_view rest = unsent(); !rest.empty(); rest = unsent()) {
    const ssize_t sent = ::send(stream_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return wait_for_writing();
    if (sent < 0) break;  // process_ended() follows
    written_ += static_cast<size_t>(sent);
    if (arrival_.sent_bytes > 0) set_deadline(kSessionTimeout);
  }
  if (files_ && written_ < outgoing_.size() + files_->size()) {
    writes_.reset();
    return set_deadline(kPatienceOfSlowLines);  // until the host confirms the next piece
  }
  outgoing_.clear();
  files_.reset();
  written_ = 0;
  writes_.reset();
  if (arrival_.sent_bytes > 0) set_deadline(kPatienceOfSlowLines);
}

void HostSession::wait_for_writing() {
  if (!writing_.valid())
    writing_ = UniqueFd(fcntl(stream_.get(), F_DUPFD_CLOEXEC, 0));  // a descriptor can be watched only once
  if (!writes_) writes_ = loop_.watch_writable(writing_.get(), [this] { write_more(); });
}

void HostSession::set_deadline(Duration limit) {
  loop_.cancel(deadline_);
  const auto late = [this, limit] {
    if (retry_without_master()) return;
    fail({"no data came from it for " + humane_duration(limit), "ssh -v " + host_, false, true});
  };
  deadline_ = loop_.at(loop_.now() + limit, late);
}

void HostSession::arrive() {
  arrived_ = true;
  loop_.cancel(deadline_);
  // From now on the receiver of the stream watches it and decides when it ends.
  reads_.reset();
  writes_.reset();
  writing_.reset();
  arrival_.stream = std::move(stream_);
  handlers_.arrived(std::move(arrival_));
}

void HostSession::fail(const SshTrouble& trouble) {
  if (std::exchange(over_, true)) return;
  loop_.cancel(deadline_);
  drop_process();
  handlers_.failed(trouble);
}

void HostSession::process_ended(const HelperEnd& end) {
  if (arrived_) return std::exchange(over_, true) ? void() : handlers_.ended(end);
  read_lines();  // the rest of its output
  if (arrived_) return handlers_.ended(end);
  // If ssh printed nothing, the shared connection died. If there was no shared connection, ssh printed the reason.
  if (end.code == ssh::kSshFailed && ssh::failure_message(end.errors).empty() && retry_without_master()) return;
  if (unfit_ && end.errors.find("No space left") != std::string::npos)
    return fail({"there is no space for muster in its cache folder", "ssh " + host_ + " df -h '~' /var/tmp", false});
  if (unfit_)
    return fail({"this build of muster does not run on it: " + ssh::failure_message(end.errors),
                 "ssh " + host_ + " 'uname -m; ldd --version'", false});
  const bool no_shell = end.code == ssh::kSshFailed || end.code == ssh::kNoSuchProgram;
  if (no_shell || heard_script_) return fail(ssh::ssh_trouble(host_, end.code, end.errors));
  const std::string said = ssh::failure_message(end.errors);
  fail(ssh::login_shell_ended(host_, end.code, said.empty() ? last_noise_ : said));
}

}  // namespace muster
