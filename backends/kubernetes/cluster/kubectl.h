// Kubectl: the user's own kubectl at work. It knows the cluster, its credentials and proxies; muster asks it, by argument lists, no
// shell, and reads what it prints. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

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
};

// One call that goes on while the loop does. What it printed, or kubectl_trouble(): `done` runs once, in a later turn.
class KubectlCall {
 public:
  struct Wanted {
    std::vector<std::string> words;
    std::string input;         // its stdin; then that ends
    bool input_later = false;  // by give(): it starts meanwhile
    Duration patience = std::chrono::seconds(30);
    bool apart = true;                                    // false: a credential plugin may ask at our terminal
    std::function<void(std::string_view)> on_bytes = {};  // what it prints, as it comes, instead of at the end
  };
  KubectlCall(FdLoop& loop, const KubectlAccess& access, Wanted wanted, std::function<void(Result<std::string>)> done);
  // Once, where input_later: its stdin; then that ends. Patience begins here.
  void give(std::string input);
  // Ends it where it lives.
  ~KubectlCall();
  KubectlCall(const KubectlCall&) = delete;
  KubectlCall& operator=(const KubectlCall&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same, waited for. deadline_exceeded: it did not end in time, and was ended.
Result<std::string> run_kubectl(const KubectlAccess& access, KubectlCall::Wanted wanted);

// Two, of which the second needs what the first prints: both start at once, so that it is soon done. `then`: the second's input, or why
// there is to be none, which is the result.
Result<std::string> run_kubectl_after(const KubectlAccess& access, KubectlCall::Wanted first,
                                      KubectlCall::Wanted second,
                                      const std::function<Result<std::string>(const std::string&)>& then);

// A program in a pod, its stdin and stdout here: `kubectl exec -i`.
class KubectlExec {
 public:
  // `ended` runs once, in a later turn of `loop`, when it has ended.
  static Result<std::unique_ptr<KubectlExec>> start(FdLoop& loop, const KubectlAccess& access, const std::string& pod,
                                                    const std::string& container,
                                                    const std::vector<std::string>& program,
                                                    std::function<void(const HelperEnd&)> ended);
  // Once: non-blocking.
  UniqueFd take_stream() { return process_->take_stream(); }

 private:
  std::unique_ptr<HelperProcess> process_;
};

}  // namespace muster
