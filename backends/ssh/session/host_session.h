// HostSession: a program of muster on a host, reached by the user's own ssh, its stdin and stdout here. Nothing has to be
// installed there: this build is sent once and kept in the user's cache on the host, by its content. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/ssh/session/shared_session.h"
#include "backends/ssh/session/ssh_words.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/asio/helper_process.h"

namespace muster {

// So many hosts are entered at once: sshd turns the eleventh of those away that are not let in yet (MaxStartups, sshd_config(5)), and
// hosts may share one.
constexpr size_t kHostsAtOnce = 8;

// Megabytes, of which all hosts get the same.
using PackedFiles = std::shared_ptr<const std::string>;

// What is the same for all hosts.
struct HostAccess {
  std::string ssh;                                 // the program's path
  std::map<std::string, std::string> environment;  // of ssh: the user's
  std::string hash;                                // of this build (packed_program.h)
  std::function<Result<PackedFiles>()> program;    // it, as gzip packs it; asked for once a host needs it
  std::function<Result<PackedFiles>()> as_zstd;    // compressed with zstd; empty: hosts get gzip
  // For hosts whose C library is too old: as libraries_for_hosts() has it; asked for once a host needs it.
  std::function<Result<PackedFiles>()> libraries;
  std::string masters;     // a folder of nobody else, for connections that sessions share; may be empty
  bool passes_on = false;  // what ssh said of its configuration (asked_lately.h)
  // With a connection that says nothing, which has less to do than one that is opened.
  Duration patience_of_masters = std::chrono::seconds(10);
  std::string mark;  // random, a-z, 0-9 and -: tells what is ours in what a host says
};

struct HostArrival {
  UniqueFd stream;          // stdin and stdout of the program there; non-blocking
  std::string folder;       // on the host: muster's cache
  uint64_t sent_bytes = 0;  // of the program and its libraries; 0: they were there
};

class HostSession {
 public:
  struct Handlers {
    std::function<void(HostArrival)> arrived;            // once, unless it fails before
    std::function<void(const HelperEnd&)> ended;         // once, after `arrived`: ssh's end, or the program's
    std::function<void(const ssh::SshTrouble&)> failed;  // once, instead of both
    std::function<void()> inside;  // before them, where a connection is there already: nobody knocks. May be empty
  };

  // `words`: what muster is called with there, plain ones. Handlers run in later turns.
  HostSession(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::string host, bool may_ask,
              const std::vector<std::string>& words, Handlers handlers);
  // Ends ssh, and with it the program there.
  ~HostSession();
  HostSession(const HostSession&) = delete;
  HostSession& operator=(const HostSession&) = delete;

 private:
  void find_connection();
  void ask_configuration();
  bool hear_configuration();
  void configured();
  void drop_process();
  void begin();
  void begin_ssh();
  void talk(UniqueFd stream);
  bool begin_anew();
  void hear();
  std::optional<std::string> next_line();
  void take(const std::string& line);
  void send_program(bool as_zstd);
  void send_libraries();
  void send(const std::string& head, const Result<PackedFiles>& packed);
  void took_piece();
  std::string_view unsent() const;
  void write_more();
  void wait_for_writing();
  void arrive();
  void be_patient(Duration limit);
  void fail(const ssh::SshTrouble& trouble);
  void process_ended(const HelperEnd& end);

  FdLoop& loop_;
  const std::shared_ptr<const HostAccess> access_;
  const std::string host_;
  const bool may_ask_;
  const std::vector<std::string> words_;
  Handlers handlers_;
  std::string configuration_;  // of ssh, as it says
  std::string socket_;         // of the connection that sessions share
  bool through_master_ = false;
  std::unique_ptr<HelperProcess> process_;
  std::unique_ptr<SharedSession> shared_;  // instead
  UniqueFd stream_;
  UniqueFd writing_;  // the same stream
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> writes_;
  TimerId deadline_ = 0;
  TimerId told_inside_ = 0;
  std::string line_;  // its beginning
  size_t noise_ = 0;
  std::string outgoing_;
  PackedFiles files_;   // behind it
  size_t written_ = 0;  // of both
  size_t taken_ = 0;    // of files, at most, as the host says
  HostArrival arrival_;
  bool sent_libraries_ = false;
  bool unfit_ = false;  // the program was tried there, and did not run
  bool arrived_ = false;
  bool over_ = false;
};

}  // namespace muster
