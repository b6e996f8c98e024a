// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/reach_survey.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kAllPairs = 32;
constexpr size_t kLongestLine = 4096;
constexpr Duration kShutdownTimeout = std::chrono::seconds(2);

}  // namespace

// The visit of one host. The host reports its port, then one answer per peer.
struct ReachSurvey::Visit {
  Visit(ReachSurvey& the_tour, size_t the_index) : survey(the_tour), index(the_index) {
    session = std::make_unique<HostSession>(
        survey.loop_, survey.access_, survey.hosts_[index].name, false, std::vector<std::string>{"reach"},
        HostSession::Handlers{[this](HostArrival came) { arrived(std::move(came)); },
                              [this](const HelperEnd&) { ended(); },
                              [this](const ssh::SshTrouble& trouble) { survey.failed(index, trouble.sentence); }});
    deadline = survey.loop_.at(survey.loop_.now() + survey.patience_, [this] {
      survey.failed(index, "no answer within " + humane_duration(survey.patience_));
    });
  }
  ~Visit() { survey.loop_.cancel(deadline); }

  void arrived(HostArrival came) {
    if (finished) return;  // given up
    arrival = std::move(came);
    --survey.arriving_;
    in = true;
    say("at " + survey.hosts_[index].address + "\n");
    reads = survey.loop_.watch_readable(arrival.stream.get(), [this] { read_answer(); });
    survey.start_visits();
  }

  void ended() {
    gone = true;
    finished ? survey.settled() : survey.failed(index, "muster on the host exited early");
  }

  // The end of its input ends `muster reach`.
  void close_input() {
    if (in && !gone) shutdown(arrival.stream.get(), SHUT_WR);
  }

  // A few lines fit into the empty buffer of the socket.
  void say(const std::string& text) { (void)send(arrival.stream.get(), text.data(), text.size(), MSG_NOSIGNAL); }

  void read_answer() {
    std::array<char, 4096> buffer{};
    const ssize_t length = recv(arrival.stream.get(), buffer.data(), buffer.size(), 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0 || text.size() > kLongestLine) return reads.reset();  // `ended` follows
    text.append(buffer.data(), static_cast<size_t>(length));
    for (size_t end = text.find('\n'); end != std::string::npos && !finished; end = text.find('\n')) {
      const std::string line = escaped(text.substr(0, end));
      text.erase(0, end + 1);
      take(line);
    }
  }

  void take(const std::string& line) {
    if (port.empty() && line.starts_with("port ")) {
      port = line.substr(5);
      return survey.listens(index);
    }
    if (port.empty()) return survey.failed(index, "cannot listen on a port: " + line.substr(line.find(' ') + 1));
    if (answers == asked.size()) return;
    const std::string& to = survey.hosts_[asked[answers++]].name;
    if (line != "ok") survey.blocked_.push_back({survey.hosts_[index].name, to, line});
    if (answers == asked.size()) finish();
  }

  void ask(std::vector<size_t> peers) {
    asked = std::move(peers);
    std::string lines;
    for (const size_t peer : asked)
      lines += "peer " + survey.hosts_[peer].address + " " + survey.visits_[peer]->port + "\n";
    say(lines + "go\n");
    if (asked.empty()) finish();
  }

  void finish() {
    finished = true;
    survey.loop_.cancel(deadline);
    ++survey.finished_;
    survey.settled();
  }

  // Ends a session that has not arrived; in a later turn, because its handler may be running.
  void give_up() {
    finish();
    if (!in) deadline = survey.loop_.at(survey.loop_.now(), [this] { session.reset(); });
  }

  ReachSurvey& survey;
  const size_t index;
  HostArrival arrival;
  std::unique_ptr<HostSession> session;
  std::unique_ptr<LoopWatch> reads;
  TimerId deadline = 0;
  bool in = false;
  std::string text;
  std::string port;  // empty: it does not listen
  std::vector<size_t> asked;
  size_t answers = 0;
  bool finished = false;
  bool gone = false;
};

ReachSurvey::ReachSurvey(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::vector<ReachHost> hosts,
                         std::function<void()> over, Duration patience)
    : loop_(loop),
      access_(std::move(access)),
      hosts_(std::move(hosts)),
      over_(std::move(over)),
      patience_(patience),
      visits_(hosts_.size()) {
  start_visits();
}

ReachSurvey::~ReachSurvey() { loop_.cancel(shutdown_timer_); }

void ReachSurvey::start_visits() {
  while (arriving_ < kHostsAtOnce && next_ < hosts_.size()) {
    ++arriving_;
    visits_[next_] = std::make_unique<Visit>(*this, next_);
    ++next_;
  }
}

// When all hosts listen, each gets the peers to test.
void ReachSurvey::listens(size_t) {
  if (++ready_ < hosts_.size()) return;
  for (size_t i = 0; i < visits_.size(); ++i) {
    if (!visits_[i]->finished) visits_[i]->ask(peers_of(i));
  }
}

void ReachSurvey::failed(size_t index, const std::string& why) {
  Visit& visit = *visits_[index];
  if (visit.finished) return;
  blocked_.push_back({hosts_[index].name, "", why});
  if (!visit.in) --arriving_;
  const bool listened = !visit.port.empty();
  visit.port.clear();
  visit.give_up();
  if (!listened) listens(index);
  start_visits();
}

std::vector<size_t> ReachSurvey::peers_of(size_t index) const {
  std::vector<size_t> peers;
  const size_t all = hosts_.size();
  for (size_t i = 1; i < (all <= kAllPairs ? all : size_t{2}); ++i) {
    const size_t peer = (index + i) % all;
    if (!visits_[peer]->port.empty()) peers.push_back(peer);
  }
  return peers;
}

// Ends all sessions and waits up to 2 s for them, so that usually no process of muster is left on a host when `over` runs.
void ReachSurvey::settled() {
  if (finished_ < hosts_.size() || reported_) return;
  if (shutdown_timer_ == 0) {
    shutdown_timer_ = loop_.at(loop_.now() + kShutdownTimeout, [this] { report_over(); });
    for (const auto& visit : visits_) visit->close_input();
  }
  const bool all =
      std::all_of(visits_.begin(), visits_.end(), [](const auto& visit) { return visit->gone || !visit->in; });
  if (all) report_over();
}

void ReachSurvey::report_over() {
  if (std::exchange(reported_, true)) return;
  loop_.post([this] { over_(); });
}

}  // namespace muster
