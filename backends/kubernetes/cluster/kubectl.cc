// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/kubectl.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/system/asio/asio_loop.h"

namespace muster {
namespace {

constexpr size_t kMostOutput = 64 << 20;  // 1,000 pods are 10 MiB

}  // namespace

struct KubectlCall::Impl {
  FdLoop& loop;
  const ClusterPlace place;
  Wanted wanted;
  std::function<void(Result<std::string>)> done;
  KubectlErrors errors;
  std::unique_ptr<HelperProcess> process;
  UniqueFd stream;
  UniqueFd writing;  // a duplicate of `stream`: one descriptor can have only one watch
  std::unique_ptr<LoopWatch> reads;
  std::unique_ptr<LoopWatch> writes;
  std::string out;
  size_t written = 0;
  uint64_t received = 0;
  TimerId deadline = 0;

  Impl(FdLoop& with, const KubectlAccess& access, Wanted what, std::function<void(Result<std::string>)> then)
      : loop(with),
        place(access.place),
        wanted(std::move(what)),
        done(std::move(then)),
        errors(with, access.prompts, [this] { prompted(); }) {}

  void start(const KubectlAccess& access) {
    auto started = HelperProcess::start(loop,
                                        {access.program, kubectl_arguments(place, wanted.words), access.environment,
                                         wanted.apart, [this](std::string_view bytes) { errors.take(bytes); }},
                                        [this](const HelperEnd& end) { ended(end); });
    if (!started.ok()) {
      deadline = loop.at(loop.now(), [this, why = started.status()] { finish(why); });
      return;
    }
    process = std::move(*started);
    stream = process->take_stream();
    writing = UniqueFd(fcntl(stream.get(), F_DUPFD_CLOEXEC, 0));
    reads = loop.watch_readable(stream.get(), [this] {
      if (!read_some()) reads.reset();  // the process reports its end
    });
    if (!wanted.input_later) begin_to_write();
  }

  void begin_to_write() {
    if (!process) return;
    deadline = loop.at(loop.now() + wanted.patience, [this] { late(); });
    write_some();
  }

  // A login takes longer than an answer of the API server.
  void prompted() {
    wanted.patience = std::max(wanted.patience, KubectlErrors::login_patience);
    if (deadline == 0) return;
    loop.cancel(deadline);
    deadline = loop.at(loop.now() + wanted.patience, [this] { late(); });
  }

  bool read_some() {
    std::array<char, 64 * 1024> buffer{};
    const ssize_t length = recv(stream.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (length > 0) take(std::string_view(buffer.data(), static_cast<size_t>(length)));
    return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
  }

  void take(std::string_view bytes) {
    received += bytes.size();
    if (wanted.on_bytes) return wanted.on_bytes(bytes);
    if (out.size() < kMostOutput) out.append(bytes);
  }

  void write_some() {
    while (written < wanted.input.size()) {
      const ssize_t sent = send(writing.get(), wanted.input.data() + written, wanted.input.size() - written,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) {
        if (!writes) writes = loop.watch_writable(writing.get(), [this] { write_some(); });
        return;
      }
      if (sent < 0 && errno != EINTR) break;
      if (sent > 0) written += static_cast<size_t>(sent);
    }
    writes.reset();
    shutdown(writing.get(), SHUT_WR);
  }

  void ended(const HelperEnd& end) {
    for (uint64_t before = received + 1; before != received;) {
      before = received;
      read_some();
    }
    errors.end(end.code == 0);
    if (end.code == 0) return finish(std::move(out));
    finish(kubectl_trouble(place, end.code, end.errors));
  }

  void late() { finish(kubectl_is_late(wanted.words.front(), wanted.patience, errors.text())); }

  void finish(Result<std::string> result) {
    loop.cancel(deadline);
    reads.reset();
    writes.reset();
    if (const auto tell = std::exchange(done, nullptr)) tell(std::move(result));
  }
};

KubectlCall::KubectlCall(FdLoop& loop, const KubectlAccess& access, Wanted wanted,
                         std::function<void(Result<std::string>)> done)
    : impl_(std::make_unique<Impl>(loop, access, std::move(wanted), std::move(done))) {
  impl_->start(access);
}

void KubectlCall::give(std::string input) {
  impl_->wanted.input = std::move(input);
  impl_->begin_to_write();
}

KubectlCall::~KubectlCall() { impl_->loop.cancel(impl_->deadline); }

namespace {

using Ended = std::optional<Result<std::string>>;

Result<std::string> wait_for(AsioLoop& loop, Ended& result) {
  while (!result && loop.run_one()) continue;
  return result ? std::move(*result)
                : Result<std::string>(Status(Code::cancelled, "the wait for kubectl was cancelled"));
}

}  // namespace

Result<std::string> run_kubectl(const KubectlAccess& access, KubectlCall::Wanted wanted) {
  AsioLoop loop;
  Ended result;
  KubectlCall call(loop, access, std::move(wanted), [&](Result<std::string> done) { result = std::move(done); });
  return wait_for(loop, result);
}

Result<std::string> run_kubectl_after(const KubectlAccess& access, KubectlCall::Wanted first,
                                      KubectlCall::Wanted second,
                                      const std::function<Result<std::string>(const std::string&)>& then) {
  AsioLoop loop;
  Ended result;
  Ended after;
  KubectlCall call(loop, access, std::move(first), [&](Result<std::string> done) { result = std::move(done); });
  second.input_later = true;
  KubectlCall next(loop, access, std::move(second), [&](Result<std::string> done) { after = std::move(done); });
  const Result<std::string> printed = wait_for(loop, result);
  if (!printed.ok()) return printed.status();
  Result<std::string> input = then(*printed);
  if (!input.ok()) return input.status();
  next.give(std::move(*input));
  return wait_for(loop, after);
}

Result<std::unique_ptr<KubectlExec>> KubectlExec::start(FdLoop& loop, const KubectlAccess& access,
                                                        const std::string& pod, const std::string& container,
                                                        const std::vector<std::string>& program,
                                                        std::function<void(const HelperEnd&)> ended,
                                                        std::function<void(std::string_view)> on_errors) {
  std::vector<std::string> words{"exec", "-i", pod, "-c", container, "--"};
  words.insert(words.end(), program.begin(), program.end());
  auto started = HelperProcess::start(
      loop, {access.program, kubectl_arguments(access.place, words), access.environment, true, std::move(on_errors)},
      std::move(ended));
  if (!started.ok()) return started.status();
  auto exec = std::make_unique<KubectlExec>();
  exec->process_ = std::move(*started);
  return exec;
}

}  // namespace muster
