// SPDX-License-Identifier: Apache-2.0
// Runs the user's own kubectl, which knows the cluster, its credentials and proxies. muster passes argument lists, without a shell, and
// reads the output. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/kubectl_prompts.h"
#include "backends/kubernetes/cluster/kubectl_words.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/asio/helper_process.h"

namespace muster {

struct KubectlAccess {
  std::string program;                             // its path
  std::map<std::string, std::string> environment;  // the user's
  ClusterPlace place;
  std::shared_ptr<KubectlPrompts> prompts = {};  // null: no terminal
};

// An asynchronous call of kubectl. `done` gets the output or kubectl_trouble(), once, in a later turn. At a terminal, prompts of kubectl
// and its credential plugins are shown while it runs, and it may then take KubectlErrors::login_patience.
class KubectlCall {
 public:
  struct Wanted {
    std::vector<std::string> words;
    std::string input;         // written to its stdin, which is then closed
    bool input_later = false;  // the input comes with give(); kubectl starts before
    Duration patience = std::chrono::seconds(30);
    bool apart = true;                                    // false: a credential plugin may ask on our terminal
    std::function<void(std::string_view)> on_bytes = {};  // if set: gets the output as it arrives, instead of `done`
  };
  KubectlCall(FdLoop& loop, const KubectlAccess& access, Wanted wanted, std::function<void(Result<std::string>)> done);
  // With input_later: writes the input to its stdin and closes it. Patience starts here. Call once.
  void give(std::string input);
  // Kills kubectl if it still runs.
  ~KubectlCall();
  KubectlCall(const KubectlCall&) = delete;
  KubectlCall& operator=(const KubectlCall&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Runs kubectl and waits for it. unavailable: it did not end in time and was killed, or the API server does not answer.
Result<std::string> run_kubectl(const KubectlAccess& access, KubectlCall::Wanted wanted);

// Runs two calls, where the second needs the first one's output. Both start at once, to save the start-up time. `then` makes the second
// call's input from the first one's output; if `then` fails, its status is the result.
Result<std::string> run_kubectl_after(const KubectlAccess& access, KubectlCall::Wanted first,
                                      KubectlCall::Wanted second,
                                      const std::function<Result<std::string>(const std::string&)>& then);

// A program in a pod with its stdin and stdout connected to us: `kubectl exec -i`.
class KubectlExec {
 public:
  // `ended` runs once, in a later turn of `loop`, when kubectl has ended. `on_errors` gets its stderr as it arrives.
  static Result<std::unique_ptr<KubectlExec>> start(FdLoop& loop, const KubectlAccess& access, const std::string& pod,
                                                    const std::string& container,
                                                    const std::vector<std::string>& program,
                                                    std::function<void(const HelperEnd&)> ended,
                                                    std::function<void(std::string_view)> on_errors = {});
  // The non-blocking stream. Call once.
  UniqueFd take_stream() { return process_->take_stream(); }

 private:
  std::unique_ptr<HelperProcess> process_;
};

}  // namespace muster
