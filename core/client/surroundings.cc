#include "core/client/surroundings.h"

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

void read_terminal(Surroundings& surroundings) {
  surroundings.stdin_tty = isatty(STDIN_FILENO) == 1;
  surroundings.stdout_tty = isatty(STDOUT_FILENO) == 1;
  surroundings.stderr_tty = isatty(STDERR_FILENO) == 1;
  winsize size{};
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) break;
  }
  constexpr uint16_t usual = 80;  // a serial console and `docker exec -t` do not tell
  const bool terminal = surroundings.stdout_tty || surroundings.stderr_tty;
  surroundings.columns = !terminal ? uint16_t{0} : size.ws_col > 0 ? size.ws_col : usual;
  surroundings.rows = size.ws_row;
}

// Then the kernel takes the loader for the program.
void tell_carried(Surroundings& surroundings) {
  const std::filesystem::path exe = surroundings.program;
  const std::filesystem::path folder = exe.parent_path();
  if (exe.filename() != ssh::kLoader || folder.filename() != "libraries") return;
  surroundings.loader = exe;
  surroundings.program = folder.parent_path() / "muster";
}

bool set_and_not_zero(const Surroundings& surroundings, const std::string& name) {
  const auto value = surroundings.variable(name);
  return value && *value != "0";
}

}  // namespace

std::optional<std::string> Surroundings::variable(const std::string& name) const {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::string name_of_program(const std::string& link) {
  constexpr std::string_view kGone = " (deleted)";  // as proc(5) has it
  if (!link.ends_with(kGone)) return link;
  const std::string name = link.substr(0, link.size() - kGone.size());
  std::error_code error;
  return std::filesystem::exists(name, error) ? name : link;
}

Surroundings read_surroundings(const char* argv0) {
  Surroundings surroundings;
  surroundings.program = name_of_program(read_link("/proc/self/exe"));
  if (surroundings.program.empty()) surroundings.program = argv0;
  tell_carried(surroundings);
  surroundings.version = MUSTER_VERSION;
  surroundings.environment = read_environment();
  surroundings.settings = own_settings();
  surroundings.means = own_means();
  surroundings.user = UserNames().name(geteuid());
  surroundings.workdir = current_folder();
  read_terminal(surroundings);
  if (getrandom(&surroundings.seed, sizeof surroundings.seed, 0) != sizeof surroundings.seed) {
    surroundings.seed = static_cast<uint64_t>(getpid());
  }
  return surroundings;
}

std::vector<std::string> words_of_program(const Surroundings& surroundings) {
  if (surroundings.loader.empty()) return {surroundings.program};
  const std::string folder = std::filesystem::path(surroundings.loader).parent_path();
  return {surroundings.loader, "--library-path", folder, surroundings.program};
}

std::string binary_hash(const Surroundings& surroundings) {
  struct stat file {};
  if (stat(surroundings.program.c_str(), &file) != 0) return surroundings.version;
  return surroundings.version + "-" + std::to_string(file.st_size) + "-" + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

bool wants_colour(const Surroundings& surroundings, bool is_terminal, const std::string& flag) {
  const std::string said = flag == "auto" ? surroundings.variable("MUSTER_COLOR").value_or("auto") : flag;
  if (said == "always" || said == "never") return said == "always";
  if (set_and_not_zero(surroundings, "CLICOLOR_FORCE") || set_and_not_zero(surroundings, "FORCE_TTY")) return true;
  if (surroundings.variable("NO_COLOR")) return false;
  if (surroundings.variable("CLICOLOR") == "0" || surroundings.variable("TERM") == "dumb") return false;
  return is_terminal;
}

}  // namespace muster
