// SPDX-License-Identifier: Apache-2.0
#include "core/client/caller_context.h"

#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "core/system/linux/own_libraries.h"
#include "core/system/linux/process/process_limits.h"
#include "core/system/linux/user_names.h"

extern char** environ;

#ifndef MUSTER_VERSION
#define MUSTER_VERSION "unknown"
#endif

namespace muster {
namespace {

std::map<std::string, std::string> read_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string read_link(const char* path) {
  std::array<char, PATH_MAX> buffer{};
  const ssize_t length = readlink(path, buffer.data(), buffer.size());
  return length > 0 ? std::string(buffer.data(), static_cast<size_t>(length)) : "";
}

std::string current_folder() {
  std::array<char, PATH_MAX> buffer{};
  const char* folder = getcwd(buffer.data(), buffer.size());
  return folder != nullptr && folder[0] == '/' ? folder : "";
}

void read_terminal(CallerContext& caller) {
  caller.stdin_tty = isatty(STDIN_FILENO) == 1;
  caller.stdout_tty = isatty(STDOUT_FILENO) == 1;
  caller.stderr_tty = isatty(STDERR_FILENO) == 1;
  winsize size{};
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) break;
  }
  constexpr uint16_t usual = 80;  // a serial console and `docker exec -t` report no width
  const bool terminal = caller.stdout_tty || caller.stderr_tty;
  caller.columns = !terminal ? uint16_t{0} : size.ws_col > 0 ? size.ws_col : usual;
  caller.rows = size.ws_row;
}

// If the program was started through its own dynamic loader, /proc/self/exe names the loader: corrects `program`, which is beside the
// loader's folder (hosts: host_script.cc) or one folder above that (release: packaging/muster.sh).
void find_own_loader(CallerContext& caller) {
  const std::filesystem::path exe = caller.program;
  const std::filesystem::path folder = exe.parent_path();
  if (exe.filename() != ssh::kLoader || folder.filename() != "libraries") return;
  const std::filesystem::path beside = folder.parent_path();
  std::error_code error;
  caller.loader = exe;
  caller.program = (std::filesystem::exists(beside / "muster", error) ? beside : beside.parent_path()) / "muster";
}

bool set_and_not_zero(const CallerContext& caller, const std::string& name) {
  const auto value = caller.variable(name);
  return value && *value != "0";
}

}  // namespace

std::optional<std::string> CallerContext::variable(const std::string& name) const {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::string name_of_program(const std::string& link) {
  constexpr std::string_view kDeleted = " (deleted)";  // proc(5)
  if (!link.ends_with(kDeleted)) return link;
  const std::string name = link.substr(0, link.size() - kDeleted.size());
  std::error_code error;
  return std::filesystem::exists(name, error) ? name : link;
}

CallerContext read_caller_context(const char* argv0) {
  CallerContext caller;
  caller.program = name_of_program(read_link("/proc/self/exe"));
  if (caller.program.empty()) caller.program = argv0;
  caller.called = argv0;
  find_own_loader(caller);
  caller.version = MUSTER_VERSION;
  caller.environment = read_environment();
  caller.settings = own_settings();
  caller.means = own_means();
  caller.user = UserNames().name(geteuid());
  caller.workdir = current_folder();
  read_terminal(caller);
  if (getrandom(&caller.seed, sizeof caller.seed, 0) != sizeof caller.seed) {
    caller.seed = static_cast<uint64_t>(getpid());
  }
  return caller;
}

std::vector<std::string> words_of_program(const CallerContext& caller) {
  if (caller.loader.empty()) return {caller.program};
  const std::string folder = std::filesystem::path(caller.loader).parent_path();
  return {caller.loader, "--library-path", folder, caller.program};
}

std::string binary_hash(const CallerContext& caller) {
  struct stat file {};
  if (stat(caller.program.c_str(), &file) != 0) return caller.version;
  return caller.version + "-" + std::to_string(file.st_size) + "-" + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

bool wants_colour(const CallerContext& caller, bool is_terminal, const std::string& flag) {
  const std::string choice = flag == "auto" ? caller.variable("MUSTER_COLOR").value_or("auto") : flag;
  if (choice == "always" || choice == "never") return choice == "always";
  if (set_and_not_zero(caller, "CLICOLOR_FORCE") || set_and_not_zero(caller, "FORCE_TTY")) return true;
  if (caller.variable("NO_COLOR")) return false;
  if (caller.variable("CLICOLOR") == "0" || caller.variable("TERM") == "dumb") return false;
  return is_terminal;
}

}  // namespace muster
