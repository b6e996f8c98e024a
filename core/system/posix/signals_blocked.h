// Signals kept away while a thread or a process begins. Header only.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace muster {

// No signal reaches the calling thread while this lives; those that arrive wait. A thread made meanwhile inherits a
// mask that blocks them all (pthread_sigmask(3)): signals are the loop's to take.
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
