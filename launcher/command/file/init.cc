// SPDX-License-Identifier: Apache-2.0
// muster init: writes a first job file for an existing program.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/text.h"
#include "core/client/guess/framework_guess.h"
#include "core/client/run_program.h"
#include "core/client/submission/job_outline.h"
#include "core/client/submission/job_source.h"
#include "core/client/view/json.h"
#include "core/job/file/job_schema.h"
#include "core/job/file/validate.h"
#include "launcher/cli/command.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema_file = ".muster/job.schema.json";

struct InitFlags {
  std::vector<std::string> words;
  std::vector<std::string> program;
  std::optional<std::string> workers;
  std::optional<std::string> nodes;
  std::optional<std::string> framework;
  std::optional<std::string> file;
  bool yes = false;
  bool force = false;
};

// Reads a line byte by byte, so that text that is typed ahead stays for the next question.
std::optional<std::string> read_line() {
  std::string line;
  for (char byte = 0; read(STDIN_FILENO, &byte, 1) == 1;) {
    if (byte == '\n') return line;
    line += byte;
  }
  return std::nullopt;
}

// Returns the answer, or `usual` if it is empty; nullopt if the terminal was closed (Ctrl-D).
std::optional<std::string> ask(CommandContext& context, const std::string& question, const std::string& usual) {
  context.screen.err(question + " [" + usual + "] ");
  auto answer = read_line();
  if (!answer) context.screen.err("\n");
  return answer && answer->empty() ? usual : answer;
}

// Asks until the answer is valid. `problem_of` returns the error, or an empty string.
std::optional<std::string> ask_until_right(CommandContext& context, const std::string& question,
                                           const std::string& usual,
                                           const std::function<std::string(const std::string&)>& problem_of) {
  while (true) {
    const auto answer = ask(context, question, usual);
    const std::string problem = answer ? problem_of(*answer) : "";
    if (problem.empty()) return answer;
    context.screen.err("     " + problem + "\n");
  }
}

// The first error of a job file with this outline; empty if there is none.
std::string problem_of(const JobOutline& outline) {
  for (const Diagnostic& problem : check_job(parse_job(outline_text(outline, "", ""), ""), "")) {
    if (problem.severity == Severity::error)
      return problem.message + (problem.label.empty() ? "" : ": " + problem.label);
  }
  return "";
}

Result<std::vector<std::string>> program_meant(CommandContext& context, const InitFlags& flags, bool asks) {
  if (!flags.program.empty()) return flags.program;
  std::vector<std::string> words = flags.words;
  if (words.empty()) {
    const std::vector<std::string> there = programs_in(context.caller.workdir);
    if (asks) {
      const std::string more = there.size() > 1 ? " (there are " + short_list(there, 6) + ")" : "";
      const auto answer = ask(context, "1/3  which program?" + more, there.empty() ? "train.py" : there.front());
      if (!answer) return Status(Code::cancelled, "nothing was written; for the flags: muster init --help");
      words = split(*answer, ' ');
      std::erase(words, "");
    } else if (!there.empty()) {
      words = {there.front()};
    }
  }
  if (words.empty())
    return Status(Code::not_found, "found no program in this folder; name one, such as muster init train.py");
  std::error_code ignored;
  if (fs::is_directory(fs::path(context.caller.workdir) / words.front(), ignored))
    return Status(Code::invalid_argument,
                  "`" + words.front() + "` is a folder; name a program, such as muster init train.py");
  return runnable_here(context.caller)(words);
}

std::string usual_workers(const CommandContext& context, const JobOutline& outline) {
  if (gpus_here(context.caller) > 0) return "auto";
  return outline.framework == "plain" || outline.framework == "any" ? "1" : "2";
}

Result<JobOutline> outline_of(CommandContext& context, const InitFlags& flags) {
  const bool asks = context.caller.interactive() && !flags.yes;
  auto program = program_meant(context, flags, asks);
  if (!program.ok()) return program.status();
  JobOutline outline{.command = std::move(*program)};
  guess_outline(outline, context.caller);
  outline.workers = flags.workers.value_or(usual_workers(context, outline));
  outline.nodes = flags.nodes.value_or("");
  std::optional<std::string> workers = outline.workers;
  std::optional<std::string> framework = flags.framework.value_or(outline.framework);
  if (asks && !flags.workers) {
    workers = ask_until_right(context, "2/3  how many ranks (a number, or auto: one process per GPU)?", *workers,
                              [&outline](const std::string& answer) {
                                JobOutline with = outline;
                                with.workers = answer;
                                return problem_of(with);
                              });
  }
  if (asks && workers && !flags.framework) {
    framework =
        ask_until_right(context, "3/3  which framework" + (outline.why.empty() ? "" : " (" + outline.why + ")") + "?",
                        *framework, [&outline](const std::string& answer) {
                          JobOutline with = outline;
                          with.framework = answer;
                          return problem_of(with);
                        });
  }
  if (!workers || !framework) return Status(Code::cancelled, "nothing was written; for the flags: muster init --help");
  if (*framework != outline.framework) outline.why.clear();
  outline.workers = *workers;
  outline.framework = *framework;
  return outline;
}

// Overwrites an existing file only if `over` is true.
Status write_file(const std::string& path, const std::string& text, bool over) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (over ? O_TRUNC : O_EXCL);
  const int fd = open(path.c_str(), flags, 0666);
  if (fd < 0 && errno == EEXIST)
    return Status(Code::already_exists,
                  "`" + path + "` already exists; to overwrite it: --force, to write another file: -f FILE");
  if (fd < 0 && errno == ENOENT)
    return Status(Code::not_found, "there is no folder for `" + path + "`; mkdir -p " +
                                       shell_line({fs::path(path).parent_path().string()}));
  if (fd < 0) return errno_status(errno, "writing `" + path + "`");
  const bool whole = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = close(fd) == 0;
  return whole && closed ? Status() : errno_status(errno, "writing `" + path + "`");
}

// The schema is for editors; an error here is not reported.
bool write_schema(const fs::path& folder) {
  std::error_code error;
  fs::create_directories((folder / schema_file).parent_path(), error);
  return !error && write_file((folder / schema_file).string(), pretty_json(schema_json(SchemaKind::job)), true).ok();
}

std::string ranks_of(const std::string& workers) {
  return workers == "auto" ? "one rank per GPU" : workers + (workers == "1" ? " rank" : " ranks");
}

// Lists the other programs in the folder if the user named none.
std::string others_of(const CommandContext& context, const InitFlags& flags, const JobOutline& outline) {
  if (!flags.words.empty() || !flags.program.empty()) return "";
  std::vector<std::string> there = programs_in(context.caller.workdir);
  std::erase(there, python_script(outline.command).value_or(outline.command.front()));
  return there.empty()
             ? ""
             : "other programs in this folder: " + short_list(there, 6) + "; to use one: muster init --force PROGRAM\n";
}

// Only a note, because the program may be written later.
std::string missing_of(const CommandContext& context, const JobOutline& outline) {
  const std::string& workdir = context.caller.workdir;
  const std::string path = context.caller.variable("PATH").value_or("");
  if (find_program(outline.command.front(), path, workdir).empty())
    return "note: there is no program `" + outline.command.front() + "` in this folder or in PATH yet\n";
  const auto script = python_script(outline.command);
  std::error_code ignored;
  if (!script || fs::exists(fs::path(workdir) / *script, ignored)) return "";
  return "note: there is no file `" + *script + "` in this folder yet\n";
}

// Replaces keys by flags in the messages, because the file is not written yet.
void name_flags(const InitFlags& flags, std::vector<Diagnostic>& problems) {
  const std::vector<std::pair<std::string, bool>> keys{{"workers", flags.workers.has_value()},
                                                       {"nodes", flags.nodes.has_value()},
                                                       {"framework", flags.framework.has_value()}};
  for (Diagnostic& problem : problems) {
    for (const auto& [key, given] : keys) {
      const std::string named = "`" + key + "`";
      const bool of_it = problem.message.starts_with(named) || problem.message.starts_with("unknown " + key + " ");
      if (!given || !of_it) continue;
      problem.where = {.file = "--" + key};
      if (problem.message.starts_with(named)) problem.message.replace(0, named.size(), "`--" + key + "`");
    }
  }
}

int init(CommandContext& context, const InitFlags& flags) {
  const std::string file = flags.file.value_or("job.yaml");
  const fs::path path = fs::path(context.caller.workdir) / file;
  std::error_code ignored;
  if (!flags.force && fs::exists(path, ignored))
    return fail(context, {Code::already_exists,
                          "`" + file + "` already exists; to overwrite it: --force, to write another file: -f FILE"});
  auto outline = outline_of(context, flags);
  if (!outline.ok()) return fail(context, outline.status());
  const fs::path from_file = fs::path(context.caller.workdir).lexically_relative(path.lexically_normal().parent_path());
  if (from_file != ".") outline->workdir = from_file.string();
  const std::string text = outline_text(*outline, file, schema_file);
  // Checked as every job file, so that init only writes valid files.
  auto problems = check_job(parse_job(text, file), file);
  name_flags(flags, problems);
  if (has_errors(problems)) {
    context.screen.err(render_diagnostics(problems, {{file, text}}, context.report_style(false)));
    return exit_usage;
  }
  if (const Status written = write_file(path.string(), text, flags.force); !written.ok()) return fail(context, written);
  const bool schema = write_schema(path.parent_path());
  context.screen.err("wrote " + file + (schema ? " (and " + std::string(schema_file) + " for your editor)" : "") +
                     ": " + shell_line(outline->command) + ", " + ranks_of(outline->workers) + ", " +
                     outline->framework + "\n" + others_of(context, flags, *outline) + missing_of(context, *outline) +
                     "next:  muster run " + shell_line({file}) + "      # start it\n" + "       muster render " +
                     shell_line({file}) + "   # show the plan first\n");
  return exit_ok;
}

}  // namespace

int init_main(CommandContext& context, const std::vector<std::string>& arguments) {
  InitFlags flags;
  CommandLine line(
      "init [PROGRAM] [flags] [-- PROGRAM ARGUMENTS…]", "Writes a first job file, with comments, for a program.",
      "muster init\nmuster init --force train.py -n 4\nmuster init -f other.yaml -- python train.py --epochs 2");
  line.value("-n,--workers", "N|auto", flags.workers,
             "ranks (processes) per node (default: auto with GPUs; else 2, or 1 if no framework was found)")
      .value("--nodes", "N|MIN..MAX", flags.nodes, "number of nodes (default: 1)")
      .value("--framework", "NAME", flags.framework,
             "muster frameworks lists them (default: guessed from the program's imports)")
      .value("-f,--file", "FILE", flags.file, "the job file to write (default: job.yaml)")
      .flag("-y,--yes", flags.yes, "ask nothing and use the defaults")
      .flag("--force", flags.force, "overwrite an existing file")
      .words("a program", 0, 1, flags.words)
      .note(
          "If you name no program, muster takes one from the current folder. On a terminal it asks for the program, "
          "the "
          "number of ranks and the framework.")
      .rest(flags.program, runnable_here(context.caller));
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  return init(context, flags);
}

}  // namespace muster
