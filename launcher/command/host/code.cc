// SPDX-License-Identifier: Apache-2.0
// muster unpack and muster pack: run on a host over ssh. unpack receives a job's code, pack sends a job's results.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "backends/ssh/code/unpack.h"
#include "core/client/connect/paths.h"
#include "core/client/run_program.h"
#include "core/job/fetch_order.h"
#include "core/system/posix/unique_fd.h"
#include "launcher/cli/command.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestLine = 64 << 10;

// Reads byte by byte, because the archive follows the line.
std::string read_line() {
  std::string line;
  for (char c = 0; line.size() < kLongestLine && read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

Status copy_to(const std::string& path, uint64_t bytes) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_status(errno, "make " + path);
  std::array<char, 65536> block{};
  while (bytes > 0) {
    const ssize_t length = read(STDIN_FILENO, block.data(), std::min<uint64_t>(block.size(), bytes));
    if (length <= 0) return Status(Code::unavailable, "the transfer of the code was interrupted; submit the job again");
    for (ssize_t at = 0; at < length;) {
      const ssize_t written = write(file.get(), block.data() + at, static_cast<size_t>(length - at));
      if (written < 0) return errno_status(errno, "write " + path);
      at += written;
    }
    bytes -= static_cast<uint64_t>(length);
  }
  return Status();
}

// Replaces this process by tar, which writes the files to stdout.
Status become_tar(const CallerContext& caller, const std::string& base, const std::vector<std::string>& paths) {
  const std::string tar = find_program("tar", caller.variable("PATH").value_or(""), "");
  if (tar.empty()) return Status(Code::not_found, "there is no tar; apt-get install tar");
  std::vector<std::string> words = {"tar", "--create", "--gzip", "--file=-", "--directory=" + base, "--"};
  for (const std::string& path : paths) words.push_back("./" + path);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(tar.c_str(), argv.data());
  return errno_status(errno, tar);
}

Status pack(const CallerContext& caller, const FetchOrder& order) {
  const std::string base = order.job.empty() ? order.folder : host_folder(caller) + "/" + code_folder_of(order.job);
  for (const std::string& path : order.paths) {
    std::error_code error;
    if (path.starts_with('/'))
      return Status(Code::invalid_argument,
                    "PATH is relative to the folder in which the ranks started; " + path + " is absolute");
    if (!fs::exists(fs::symlink_status(fs::path(base) / path, error)))
      return Status(Code::not_found, "there is no " + path + " in " + base +
                                         "; PATH is relative to the folder in which the ranks started");
  }
  return become_tar(caller, base, order.paths);
}

}  // namespace

int unpack_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("unpack", "Receives the code of a job on a host, over ssh (internal).",
                   "muster unpack   # muster run --backend ssh runs it on a host");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const Result<CodeOrder> order = code_order_from(read_line());
  if (!order.ok()) return fail(context, order.status());
  const auto receive = [&](const std::string& path) {
    context.screen.out("need\n");
    return copy_to(path, order->archive_bytes);
  };
  const Status unpacked = unpack(context.caller, host_folder(context.caller), *order, receive);
  if (!unpacked.ok()) return fail(context, unpacked);
  context.screen.out("ready\n");
  return exit_ok;
}

int pack_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("pack", "Sends files of a job from a host, over ssh (internal).",
                   "muster pack   # muster fetch runs it on a host");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const Result<FetchOrder> order = fetch_order_from(read_line());
  return fail(context, order.ok() ? pack(context.caller, *order) : order.status());
}

}  // namespace muster
