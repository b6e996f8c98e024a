// SPDX-License-Identifier: Apache-2.0
// HostSession: runs muster on a host over the user's own ssh, with its stdin and stdout connected to this process. Nothing has to be
// installed on the host: this build is sent once and kept in the user's cache there, named by its hash. Loop thread only.
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

// The most ssh logins at the same time. By default, sshd refuses some logins if more than 10 are not complete (MaxStartups,
// sshd_config(5)), and several hosts may share one sshd as their jump host.
constexpr size_t kHostsAtOnce = 8;

// Compressed files of some megabytes, shared by the sessions of all hosts.
using PackedFiles = std::shared_ptr<const std::string>;

// The ssh settings with which hosts are reached; the same for all hosts.
struct HostAccess {
  std::string ssh;                                 // the program's path
  std::map<std::string, std::string> environment;  // of ssh: that of the user
  std::string hash;                                // of this build (packed_program.h)
  std::function<Result<PackedFiles>()> program;    // this build, compressed with gzip; called when a host needs it
  std::function<Result<PackedFiles>()> as_zstd;    // this build, compressed with zstd; empty: all hosts get gzip
  // The result of libraries_for_hosts(), for hosts whose C library is too old; called when a host needs it.
  std::function<Result<PackedFiles>()> libraries;
  std::string masters;     // a private folder for the control sockets of shared connections; empty: none are shared
  bool passes_on = false;  // leave the result of `ssh -G` for the controller (asked_lately.h)
  // The limit without an answer over an existing connection, which answers faster than a new one.
  Duration patience_of_masters = std::chrono::seconds(10);
  std::string mark;  // random, of a-z, 0-9 and -: marks the lines of the script in the host's output
};

struct HostArrival {
  UniqueFd stream;          // stdin and stdout of muster on the host; non-blocking
  std::string folder;       // muster's cache on the host
  uint64_t sent_bytes = 0;  // of the program and its libraries; 0: the host had them
};

class HostSession {
 public:
  struct Handlers {
    std::function<void(HostArrival)> arrived;            // once: muster runs on the host
    std::function<void(const HelperEnd&)> ended;         // once, after `arrived`: ssh or muster has exited
    std::function<void(const ssh::SshTrouble&)> failed;  // once, instead of both
    std::function<void()> connected;  // before them, if an existing connection makes a login unnecessary. May be empty
    // Gets stderr of ssh and of muster on the host as it arrives. May be empty.
    std::function<void(std::string_view)> on_errors = {};
  };

  // `words`: the arguments of muster on the host (host_script.h). Handlers run in later turns.
  HostSession(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::string host, bool may_ask,
              const std::vector<std::string>& words, Handlers handlers);
  // Ends ssh, and with it muster on the host.
  ~HostSession();
  HostSession(const HostSession&) = delete;
  HostSession& operator=(const HostSession&) = delete;

 private:
  void find_connection();
  void ask_configuration();
  bool read_configuration();
  void configured();
  void drop_process();
  void begin();
  void begin_ssh();
  void send_script(UniqueFd stream);
  bool retry_without_master();
  void read_lines();
  std::optional<std::string> next_line();
  void handle_line(const std::string& line);
  void keep_noise(const std::string& line);
  void send_program(bool as_zstd);
  void send_libraries();
  void send(const std::string& head, const Result<PackedFiles>& packed);
  void took_piece();
  std::string_view unsent() const;
  void write_more();
  void wait_for_writing();
  void arrive();
  void set_deadline(Duration limit);
  void fail(const ssh::SshTrouble& trouble);
  void process_ended(const HelperEnd& end);

  FdLoop& loop_;
  const std::shared_ptr<const HostAccess> access_;
  const std::string host_;
  const bool may_ask_;
  const std::vector<std::string> words_;
  Handlers handlers_;
  std::string configuration_;  // output of `ssh -G`
  std::string socket_;         // control socket of the shared connection
  bool through_master_ = false;
  std::unique_ptr<HelperProcess> process_;
  std::unique_ptr<SharedSession> shared_;  // instead of process_
  UniqueFd stream_;
  UniqueFd writing_;  // a duplicate of stream_
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> writes_;
  TimerId deadline_ = 0;
  TimerId connected_timer_ = 0;
  std::string line_;  // an incomplete line
  size_t noise_ = 0;
  std::string outgoing_;
  PackedFiles files_;   // sent after outgoing_
  size_t written_ = 0;  // bytes of both
  size_t taken_ = 0;    // bytes of files_ that the host has confirmed, at most
  HostArrival arrival_;
  bool sent_libraries_ = false;
  std::string last_noise_;     // the last line that the account's start-up files printed
  bool heard_script_ = false;  // the script (host_script.h) has printed a word
  bool unfit_ = false;         // the program does not run on the host
  bool arrived_ = false;
  bool over_ = false;
};

}  // namespace muster
