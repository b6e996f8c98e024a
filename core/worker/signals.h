// Masks of signals: threads that the library starts must not take the program's; and Gloo writes to sockets without
// MSG_NOSIGNAL, so a peer that died would end this process by SIGPIPE.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace muster::worker {

// SIGPIPE does nothing to this thread while one of these lives.
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

  // A write may have failed: a signal may be pending, which the end of this object takes away.
  void failed() { failed_ = true; }

 private:
  sigset_t pipe_, before_;
  bool failed_ = false;
};

// Threads started while this lives have every signal blocked.
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
