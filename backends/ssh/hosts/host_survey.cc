// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/host_survey.h"

#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostAnswer = 256 << 10;
constexpr size_t kMostAtOnce = 64;  // visits, including those whose ssh login is complete
constexpr Duration kPatience = std::chrono::seconds(30);

// The wall clock, because it is compared with the hosts' wall clocks.
Duration wall_clock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

// The visit of one host, from the start of ssh to the answer.
struct HostSurvey::Visit {
  Visit(HostSurvey& the_tour, size_t the_index, bool ask) : survey(the_tour), index(the_index), may_ask(ask) {
    session = std::make_unique<HostSession>(
        survey.loop_, survey.access_, report().host.name, may_ask, survey.words(),
        HostSession::Handlers{[this](HostArrival came) { arrived(std::move(came)); },
                              [this](const HelperEnd& end) { ended(end); },
                              [this](const ssh::SshTrouble& trouble) { survey.failed(index, trouble, may_ask); },
                              [this] { survey.connected(index); }});
  }
  ~Visit() { survey.loop_.cancel(deadline); }

  HostReport& report() const { return survey.reports_[index]; }

  // The host answers with its time at once, and with the facts when it has gathered them.
  void arrived(HostArrival came) {
    arrival = std::move(came);
    report().sent_bytes = arrival.sent_bytes;
    report().folder = escaped(arrival.folder);
    asked_at = wall_clock();
    (void)send(arrival.stream.get(), "now\n", 4, MSG_NOSIGNAL);
    reads = survey.loop_.watch_readable(arrival.stream.get(), [this] { read_answer(); });
    deadline = survey.loop_.at(survey.loop_.now() + kPatience, [this] {
      survey.failed(index,
                    {"muster on the host did not answer within " + humane_duration(kPatience),
                     "ssh -v " + report().host.name, false},
                    true);
    });
  }

  void read_answer() {
    std::array<char, 65536> buffer{};
    const ssize_t length = recv(arrival.stream.get(), buffer.data(), buffer.size(), 0);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0 || answer.size() > kMostAnswer) return reads.reset();
    const bool first = answer.find('\n') == std::string::npos;
    answer.append(buffer.data(), static_cast<size_t>(length));
    if (first && answer.find('\n') != std::string::npos) compare_clocks();
  }

  void compare_clocks() {
    int64_t nanos = 0;
    const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.find('\n'), nanos);
    if (error != std::errc() || *end != '\n') return;
    const Duration now = wall_clock();
    report().unsure = (now - asked_at) / 2;
    report().ahead = std::chrono::nanoseconds(nanos) - (asked_at + report().unsure);
  }

  void ended(const HelperEnd& end) {
    while (reads && answer.size() <= kMostAnswer) {
      const size_t before = answer.size();
      read_answer();
      if (answer.size() == before) break;
    }
    const Result<HostFacts> facts = facts_from_json(answer.substr(std::min(answer.find('\n'), answer.size() - 1) + 1));
    if (end.code != 0) return survey.failed(index, trouble_of(end), true);
    if (!facts.ok()) return survey.failed(index, {facts.status().message(), "", false}, true);
    report().facts = *facts;
    survey.done(index);
  }

  // The failure is of ssh itself or of muster on the host.
  ssh::SshTrouble trouble_of(const HelperEnd& end) const {
    if (end.code == 255) return ssh::ssh_trouble(report().host.name, end.code, end.errors);
    const std::string said = ssh::failure_message(end.errors);
    return {"muster on the host exited with code " + std::to_string(end.code) + (said.empty() ? "" : ": " + said), "",
            false};
  }

  HostSurvey& survey;
  const size_t index;
  const bool may_ask;
  bool connecting = true;
  HostArrival arrival;
  std::unique_ptr<HostSession> session;
  std::unique_ptr<LoopWatch> reads;
  TimerId deadline = 0;
  Duration asked_at{0};
  std::string answer;
};

std::vector<std::string> HostSurvey::words() const {
  switch (question_.depth) {
    case Depth::all:
      if (!question_.python.empty()) return {"facts", "--python", question_.python};
      return {"facts"};
    case Depth::machine: return {"facts", "--machine"};
    case Depth::forget: return {"facts", "--machine", "--forget"};
  }
  return {};
}

HostSurvey::HostSurvey(FdLoop& loop, std::shared_ptr<const HostAccess> access, std::vector<ListedHost> hosts,
                       bool people, Question question, Handlers handlers)
    : loop_(loop),
      access_(std::move(access)),
      people_(people),
      question_(std::move(question)),
      handlers_(std::move(handlers)),
      visits_(hosts.size()) {
  for (ListedHost& host : hosts)
    reports_.push_back({std::move(host), std::nullopt, {}, 0, "", Duration(0), Duration(0)});
  start_visits();
}

HostSurvey::~HostSurvey() = default;

void HostSurvey::start_visits() {
  while (connecting_ < kHostsAtOnce && under_way_ < kMostAtOnce && next_ < reports_.size()) begin(next_++, false);
  if (under_way_ > 0) return;
  if (to_ask_.empty()) return handlers_.over();
  const size_t index = to_ask_.extract(to_ask_.begin()).value();
  handlers_.asking(reports_[index].host.name);
  begin(index, true);
}

void HostSurvey::begin(size_t index, bool may_ask) {
  ++under_way_;
  ++connecting_;
  visits_[index] = std::make_unique<Visit>(*this, index, may_ask);
}

void HostSurvey::connected(size_t index) {
  if (!visits_[index] || !std::exchange(visits_[index]->connecting, false)) return;
  --connecting_;
  start_visits();
}

void HostSurvey::leave(size_t index) {
  --under_way_;
  if (visits_[index]->connecting) --connecting_;
  // A handler of the visit may be running.
  loop_.post([gone = std::shared_ptr<Visit>(std::move(visits_[index]))] {});
  loop_.post([this] { start_visits(); });
}

// A visit may end twice in a turn: by its deadline and by ssh.
void HostSurvey::done(size_t index) {
  if (!visits_[index]) return;
  leave(index);
  handlers_.visited(reports_[index]);
}

void HostSurvey::failed(size_t index, const ssh::SshTrouble& trouble, bool for_good) {
  if (!visits_[index]) return;
  reports_[index].trouble = trouble;
  if (!trouble.asks || !people_ || for_good) return done(index);
  to_ask_.insert(index);
  leave(index);
}

}  // namespace muster
