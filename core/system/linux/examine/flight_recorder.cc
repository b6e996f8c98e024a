// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/flight_recorder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/rank/flight_record.h"
#include "core/rank/pickle_text.h"
#include "core/system/linux/examine/bounded_talk.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kLongestRecording = milliseconds(3000);
constexpr int kLook = 50;  // ms
constexpr size_t kMostDump = 16 << 20;

// Changes whenever the file is written. Empty: there is no file.
std::string mark_of(const std::string& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return "";
  return std::to_string(found.st_ino) + " " + std::to_string(found.st_mtim.tv_sec) + " " +
         std::to_string(found.st_mtim.tv_nsec) + " " + std::to_string(found.st_size);
}

// False: there is no pipe, or no process reads it.
bool write_to_pipe(const std::string& path) {
  const UniqueFd pipe(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat found {};
  if (!pipe.valid() || fstat(pipe.get(), &found) != 0 || !S_ISFIFO(found.st_mode)) return false;
  return write(pipe.get(), "1", 1) == 1;
}

std::string whole_file(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.valid() ? read_to_end(file.get(), {SteadyClock::now() + kLongestRecording, kMostDump}) : "";
}

// The body of an HTTP/1.1 response.
std::string body_of(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return answer.starts_with("HTTP/1.") && end != std::string::npos ? answer.substr(end + 4) : "";
}

std::string asked(const std::string& socket, const std::string& handler, SteadyClock::time_point end) {
  const TalkLimits limits{end, kMostDump};
  const UniqueFd connection = connect_locally(socket, limits);
  const std::string question =
      "POST /handler/" + handler + " HTTP/1.1\r\nHost: rank\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  if (!connection.valid() || !write_whole(connection.get(), question, limits)) return "";
  return body_of(read_to_end(connection.get(), limits));
}

bool is_stopped_or_gone(pid_t pid) {
  const auto stat = read_stat(pid);
  return !stat || stat->state == 'T';
}

bool tells(const std::optional<std::vector<CollectiveProgress>>& record) {
  return record && std::any_of(record->begin(), record->end(), [](const auto& stand) { return stand.sequence > 0; });
}

}  // namespace

FlightRecorder::FlightRecorder(RecordedProcess process, milliseconds patience)
    : process_(std::move(process)),
      end_(SteadyClock::now() + patience) {
  const std::string stem = variable("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");
  const std::string file = file_of_dump();
  if (stem.empty() || file.empty() || is_stopped_or_gone(process_.pid)) return;
  before_ = mark_of(file);
  if (write_to_pipe(stem + variable("RANK") + ".pipe")) dump_ = file;
}

std::string FlightRecorder::variable(const std::string& name) const {
  const auto found = process_.environment.find(name);
  return found == process_.environment.end() ? "" : found->second;
}

std::string FlightRecorder::file_of_dump() const {
  for (const char* name : {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
    if (const std::string stem = variable(name); !stem.empty()) return stem + variable("RANK");
  }
  return "";
}

std::optional<std::vector<CollectiveProgress>> FlightRecorder::answer() const {
  if (is_stopped_or_gone(process_.pid)) return std::nullopt;
  const auto by_server = served();
  return tells(by_server) || dump_.empty() ? by_server : dumped();
}

std::optional<std::vector<CollectiveProgress>> FlightRecorder::served() const {
  const std::string socket = variable("TORCH_WORKER_SERVER_SOCKET");
  if (!socket.starts_with("/")) return std::nullopt;
  const auto end = SteadyClock::now() + kLongestRecording;
  const auto record = read_flight_record(asked(socket, "fr_trace_json", end));
  if (tells(record)) return record;
  const auto of_nccl = read_flight_record(asked(socket, "dump_nccl_trace_json", end));
  return of_nccl ? of_nccl : record;
}

// The file is written in pieces: an incomplete one is read again.
std::optional<std::vector<CollectiveProgress>> FlightRecorder::dumped() const {
  do {
    const std::string mark = mark_of(dump_);
    const auto json = mark.empty() || mark == before_ ? std::nullopt : json_of_pickle(whole_file(dump_));
    if (json) return read_flight_record(*json);
    poll(nullptr, 0, kLook);
  } while (SteadyClock::now() < end_);
  return std::nullopt;
}

}  // namespace muster
