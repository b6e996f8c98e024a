// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/spawn_failure.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

#include "core/base/text.h"
#include "core/system/posix/program_search.h"
#include "core/system/posix/write_failure.h"

namespace muster {
namespace {

std::string quoted(const std::string& text) { return "`" + escaped(text) + "`"; }

// A relative program is looked up after the child has entered the workdir.
std::string seen_from_here(const SpawnRequest& request, const std::string& program) {
  return program.starts_with("/") ? program : request.workdir + "/" + program;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The interpreter of the #! line; empty: there is no such line.
std::string interpreter_of(const std::string& path) {
  std::ifstream file(path);
  char line[256] = "";
  file.read(line, sizeof line - 1);
  const std::string_view text(line);
  if (!text.starts_with("#!")) return "";
  const size_t start = text.find_first_not_of(" \t", 2);
  if (start == std::string_view::npos) return "";
  return std::string(text.substr(start, text.find_first_of(" \t\n", start) - start));
}

Status describe_missing(const SpawnRequest& request) {
  const std::string& program = request.argv[0];
  if (program.find('/') == std::string::npos) {
    return Status(Code::not_found,
                  quoted(program) + " was not found in PATH (" + escaped(search_path(request.environment)) + ")");
  }
  const std::string from = program.starts_with("/") ? "" : " in " + escaped(request.workdir);
  return Status(Code::not_found, quoted(program) + " does not exist" + from);
}

// A terminal does not show the carriage return that is part of the interpreter's name.
Status windows_line_ends(const std::string& program, const std::string& interpreter) {
  const std::string shown = escaped(interpreter.substr(0, interpreter.size() - 1)) + "\\r";
  return Status(Code::not_found, quoted(program) + " asks for `" + shown +
                                     "` in its #! line: the file has Windows line ends; sed -i 's/\\r$//' " +
                                     escaped(program) + " removes them");
}

// execve(2) reports ENOENT both for a missing program and for a missing interpreter.
Status describe_absent(const SpawnRequest& request) {
  for (const std::string& candidate : program_candidates(request.argv[0], search_path(request.environment))) {
    const std::string path = seen_from_here(request, candidate);
    if (access(path.c_str(), F_OK) != 0) continue;
    const std::string interpreter = interpreter_of(path);
    if (interpreter.ends_with('\r')) return windows_line_ends(candidate, interpreter);
    const std::string missing = interpreter.empty()
                                    ? "the loader or library it was linked for, which is not here: was it "
                                      "built for another system?"
                                    : quoted(interpreter) + " in its #! line, which does not exist";
    return Status(Code::not_found, quoted(candidate) + " asks for " + missing);
  }
  return describe_missing(request);
}

Status describe_denied(const SpawnRequest& request, const ChildOrders& orders) {
  const std::string program = orders.failed_program;
  if (is_folder(seen_from_here(request, program))) {
    return Status(Code::permission_denied, quoted(program) + " is a folder, not a program");
  }
  return Status(Code::permission_denied, quoted(program) +
                                             " cannot be executed: permission denied: is it marked "
                                             "executable (chmod +x), and is its file system mounted without noexec?");
}

Status describe_too_long(const SpawnRequest& request) {
  const auto add = [](size_t sum, const std::string& text) { return sum + text.size() + 1; };
  size_t bytes = std::accumulate(request.argv.begin(), request.argv.end(), size_t{0}, add);
  bytes = std::accumulate(request.environment.begin(), request.environment.end(), bytes, add);
  return Status(Code::resource_exhausted,
                "arguments and environment take " + humane_size(bytes) + "; this system takes at most " +
                    humane_size(static_cast<uint64_t>(sysconf(_SC_ARG_MAX))) + " together and 128 KiB each");
}

// The files of an image cannot be looked at from here.
Status describe_exec_in_image(const SpawnRequest& request, const ChildOrders& orders) {
  if (orders.error != ENOENT && orders.error != ENOTDIR && orders.error != EACCES)
    return errno_status(orders.error, quoted(orders.failed_program) + " cannot be executed in the image");
  const bool searched = request.argv[0].find('/') == std::string::npos;
  const std::string where = searched ? " in its PATH (" + escaped(search_path(request.environment)) + ")" : "";
  return Status(Code::not_found, "the image has no program " + quoted(request.argv[0]) + where +
                                     ", or not the interpreter or loader that it asks for");
}

Status describe_exec(const SpawnRequest& request, const ChildOrders& orders) {
  if (request.container) return describe_exec_in_image(request, orders);
  switch (orders.error) {
    case ENOENT:
    case ENOTDIR: return describe_absent(request);
    case EACCES:
    case EPERM: return describe_denied(request, orders);
    case E2BIG: return describe_too_long(request);
    case ENOEXEC:
      return Status(Code::permission_denied, quoted(orders.failed_program) +
                                                 " cannot be executed: exec format error: is it a script without a "
                                                 "#! line, or built for another machine?");
    default: return errno_status(orders.error, quoted(orders.failed_program) + " cannot be executed");
  }
}

Status describe_workdir(const SpawnRequest& request, int error) {
  const std::string name = "workdir " + escaped(request.workdir);
  if (error == ENOENT) return Status(Code::not_found, name + " does not exist");
  if (error == ENOTDIR) return Status(Code::not_found, name + " is not a folder");
  if (error == EACCES) return Status(Code::permission_denied, name + " cannot be entered: permission denied");
  return errno_status(error, name);
}

Status output_failure(int error, const std::string& path) {
  const bool full = error == ENOSPC || error == EDQUOT;
  if (full) return write_failure(error, path.substr(0, path.rfind('/')));
  return errno_status(error, "cannot write output to " + escaped(path));
}

std::string cpu_list(const SpawnRequest& request) {
  std::vector<std::string> names;
  for (const uint32_t cpu : request.cpus) names.push_back(std::to_string(cpu));
  return short_list(names, 8);
}

}  // namespace

Status describe_spawn_failure(const SpawnRequest& request, const ChildOrders& orders) {
  switch (orders.failed_step) {
    case ChildStep::none:
    case ChildStep::descriptors: return errno_status(orders.error, "cannot give the process descriptors of its own");
    case ChildStep::session: return errno_status(orders.error, "cannot make a process group");
    case ChildStep::parent_gone: return Status(Code::cancelled, "muster ended while it started a process");
    case ChildStep::cpus: return errno_status(orders.error, "cannot bind to CPUs " + cpu_list(request));
    case ChildStep::limits: return errno_status(orders.error, "cannot set the limits of the process");
    case ChildStep::null_input: return errno_status(orders.error, "cannot open /dev/null");
    case ChildStep::output: return output_failure(orders.error, request.stdout_path);
    case ChildStep::error_output: return output_failure(orders.error, request.stderr_path);
    case ChildStep::terminal: return errno_status(orders.error, "cannot give the process its terminal");
    case ChildStep::container: return errno_status(orders.error, "cannot join the container of the image");
    case ChildStep::workdir: return describe_workdir(request, orders.error);
    case ChildStep::exec: return describe_exec(request, orders);
  }
  return errno_status(orders.error, "cannot start a process");
}

Status describe_clone_failure(int error) {
  if (error != EAGAIN) return errno_status(error, "the system refuses another process");
  return Status(Code::resource_exhausted,
                "the system refuses another process: the limit of processes (ulimit -u) or of this container or scope "
                "(pids.max) is reached");
}

}  // namespace muster
