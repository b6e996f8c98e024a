// SPDX-License-Identifier: Apache-2.0
// Blocks signals while a thread or a process is started. Header only.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace muster {

// Blocks all signals of the calling thread until it is destroyed; they stay pending. A thread started meanwhile inherits
// the mask (pthread_sigmask(3)), so that only the loop thread handles signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace muster
