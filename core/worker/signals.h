// SPDX-License-Identifier: Apache-2.0
// Signal masks. Threads of the library must not receive the program's signals. Gloo writes to sockets without MSG_NOSIGNAL,
// so without a mask a dead peer would end this process by SIGPIPE.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace muster::worker {

// Blocks SIGPIPE in this thread during its lifetime.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    if (failed_ && !sigismember(&before_, SIGPIPE)) {
      const timespec now{};
      while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

  // Call it after a failed write: the destructor then removes a pending SIGPIPE.
  void failed() { failed_ = true; }

 private:
  sigset_t pipe_, before_;
  bool failed_ = false;
};

// Threads that are started during its lifetime have all signals blocked.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace muster::worker
