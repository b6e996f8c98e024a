// muster unpack: what a host is asked over ssh when a job's code has to be there.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "core/adapter/asio/unique_fd.h"
#include "launcher/command/command.h"
#include "launcher/tree/unpack.h"

namespace muster {
namespace {

constexpr size_t kLongestLine = 64 << 10;

// Byte by byte: what follows the line is the archive.
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
    if (length <= 0) return Status(Code::unavailable, "the code was cut off on its way");
    for (ssize_t at = 0; at < length;) {
      const ssize_t written = write(file.get(), block.data() + at, static_cast<size_t>(length - at));
      if (written < 0) return errno_status(errno, "write " + path);
      at += written;
    }
    bytes -= static_cast<uint64_t>(length);
  }
  return Status();
}

// FOLDER of FOLDER/bin/HASH/muster.
std::string folder_of(const std::string& program) {
  return std::filesystem::path(program).parent_path().parent_path().parent_path();
}

}  // namespace

int unpack_main(CommandContext& context, const std::vector<std::string>& arguments) {
  CommandLine line("unpack", "Puts a job's code where its ranks start, on a host that is reached over ssh.",
                   "muster run --backend ssh --hosts a1,a2 job.yaml   calls it");
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const Result<CodeOrder> order = code_order_from(read_line());
  if (!order.ok()) return fail(context, order.status());
  const auto receive = [&](const std::string& path) {
    context.screen.out("need\n");
    return copy_to(path, order->archive_bytes);
  };
  const Status unpacked = unpack(context.surroundings, folder_of(context.surroundings.program), *order, receive);
  if (!unpacked.ok()) return fail(context, unpacked);
  context.screen.out("ready\n");
  return exit_ok;
}

}  // namespace muster
