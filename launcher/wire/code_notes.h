// CodeNotes: which code the jobs of a controller run (submission/code_commit.h), where their commands did not say. git is asked
// once the job has had time to begin, and nobody waits for it. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/adapter/asio/fd_loop.h"
#include "core/adapter/asio/helper_process.h"
#include "core/base/ids.h"

namespace muster {

class CodeNotes {
 public:
  struct Handlers {
    std::function<bool(const JobId&)> unknown;                   // whether nobody has told meanwhile
    std::function<void(const JobId&, const std::string&)> note;  // a commit, never empty
  };
  CodeNotes(FdLoop& loop, Handlers handlers);
  // Who is being asked is ended.
  ~CodeNotes();
  CodeNotes(const CodeNotes&) = delete;
  CodeNotes& operator=(const CodeNotes&) = delete;

  // git is looked for in the PATH of `environment`.
  void ask(const JobId& job, const std::string& folder, const std::map<std::string, std::string>& environment);

 private:
  struct Question;
  void begin(const JobId& job);
  void hear(const JobId& job);
  void over(const JobId& job, int code);
  void forget(const JobId& job);

  FdLoop& loop_;
  const Handlers handlers_;
  std::map<JobId, std::unique_ptr<Question>> questions_;
};

}  // namespace muster
