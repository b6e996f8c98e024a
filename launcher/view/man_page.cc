// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/man_page.h"

#include "core/base/text.h"
#include "core/job/file/job_keys.h"

namespace muster {
namespace {

// Escapes text for roff, so that no line begins with a request and no character starts an escape.
std::string plain(const std::string& text) {
  std::string roff;
  for (const char byte : text) {
    if (byte == '\\')
      roff += "\\e";
    else if (byte == '-')
      roff += "\\-";
    else if (byte == '\'' || byte == '.')
      roff += (roff.empty() || roff.back() == '\n' ? "\\&" : "") + std::string(1, byte);
    else
      roff += byte;
  }
  return roff;
}

// An argument of a heading or list, in quotes.
std::string quoted(const std::string& text) {
  std::string escaped = plain(text);
  for (size_t at = escaped.find('"'); at != std::string::npos; at = escaped.find('"', at + 4))
    escaped.replace(at, 1, "\\(dq");
  return "\"" + escaped + "\"";
}

std::string title(const ManSource& source, const std::string& name, const char* section) {
  return ".TH " + quoted(name) + " " + section + " \"\" " + quoted("muster " + source.version) + " \"muster\"\n";
}

std::string heading(const char* text) { return std::string(".SH ") + text + "\n"; }

std::string entry(const std::string& term, const std::string& text) {
  return ".TP\n.B " + quoted(term) + "\n" + plain(text) + "\n";
}

std::string verbatim(const std::string& text) { return ".RS\n.nf\n" + plain(text) + "\n.fi\n.RE\n"; }

// "-f,--follow" with "N" → "-f, --follow N".
std::string term_of(const CommandFacts::Flag& flag) {
  return join(split(flag.names, ','), ", ") + (flag.placeholder.empty() ? "" : " " + flag.placeholder);
}

std::string exit_codes() {
  std::string text = heading("EXIT STATUS");
  text += entry("0", "success; for run, attach and wait: the job succeeded");
  text += entry("1", "the job failed, a check found a problem, or muster had an internal error");
  text += entry("2", "the command line or a file is wrong; nothing was started");
  text += entry("3", "a host, a cluster or the controller cannot be reached, or the controller could not be started");
  text += entry("4", "not allowed: authentication failed, or a right is missing");
  text += entry("5", "there is no such job, rank, file, program or error code");
  text += entry("6", "conflict: a name is taken, or the state of the job does not allow the command");
  text += entry("7", "a timeout is over: wait --timeout, or one of the timeouts of the job");
  text += entry("8", "refused: by a policy or quota, or because the job needs more than the machine has");
  text += entry("9", "stdout or stderr could not be written, for instance because the disk is full");
  text += entry("125", "exec only: the program was not started, or nobody knows how it ended");
  text += entry("126", "exec only: the program may not be executed");
  text += entry("127", "exec only: there is no such program");
  text += entry("130", "SIGINT (Ctrl-C); also: the job was stopped or killed");
  text += entry("141", "the reader of stdout ended before the job did; the job continues");
  return text + entry("143", "SIGTERM");
}

std::string variables() {
  std::string text = heading("ENVIRONMENT");
  text += entry("MUSTER_STATE_DIR", "the folder for jobs and their output (default: XDG_STATE_HOME/muster)");
  text += entry("MUSTER_IDLE", "how long the controller stays without jobs; muster serve --help has the defaults");
  text += entry("MUSTER_COLOR", "auto, always or never, as the flag --color");
  text += entry("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM",
                "as in other programs: no colour, or colour without a terminal");
  return text + entry("MUSTER_WORKERS, MUSTER_NODES, …",
                      "defaults for flags of run that are not given; muster run --help lists them");
}

std::string files() {
  std::string text = heading("FILES");
  text += entry("muster.yaml", "defaults for the jobs of a project; see muster config");
  text += entry("~/.config/muster/config.yaml, /etc/muster/config.yaml", "the same for a user and for the machine");
  return text + entry(".muster/runtimes/NAME.yaml", "templates of job files; see muster runtimes");
}

void add_keys(std::span<const Key> keys, const std::string& prefix, std::string& text) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    text += entry(path, std::string(key.doc) + " Value: " + wanted(key) + ".");
    if (key.type == KeyType::map) add_keys(key.children, path + ".", text);
  }
}

}  // namespace

std::string man_overview(const ManSource& source) {
  std::string text =
      title(source, "muster", "1") + heading("NAME") + "muster \\- runs distributed training\n" + heading("SYNOPSIS") +
      ".B muster\n.I COMMAND\n[flags]\n" + heading("DESCRIPTION") +
      "A JOB is a name, an id, a unique beginning of either, or @last, the newest job. attach, describe, "
      "events, logs and why use @last if you name no job. "
      "Every command has its own page, such as muster\\-run(1).\n"
      "A rank is one process of a job. An attempt is one start of the ranks that fail and restart together.\n" +
      heading("COMMANDS");
  std::string group;
  for (const ManSource::Entry& command : source.commands) {
    if (command.group != group) text += ".SS " + quoted(command.group) + "\n";
    group = command.group;
    text += entry(command.name, command.summary);
  }
  return text + heading("EXAMPLES") + verbatim("muster run -n 2 -- python train.py\nmuster run job.yaml") +
         exit_codes() + variables() + files() + heading("SEE ALSO") + ".BR muster\\-run (1),\n.BR muster\\-job (5)\n";
}

std::string man_of_command(const ManSource& source, const std::string& name, const CommandFacts& facts) {
  std::string summary = facts.summary;
  if (const size_t end = summary.find_first_of(".;:"); end != std::string::npos) summary.resize(end);
  std::string text = title(source, "muster-" + name, "1") + heading("NAME") + plain("muster-" + name) + " \\- " +
                     plain(summary) + "\n" + heading("SYNOPSIS") + ".B muster\n" + plain(facts.usage) + "\n" +
                     heading("DESCRIPTION") + plain(facts.summary) + "\n";
  for (const CommandFacts::Verb& verb : facts.verbs)
    text += entry(verb.name + (verb.words.empty() ? "" : " " + verb.words), verb.help);
  text += heading("OPTIONS");
  for (const CommandFacts::Flag& flag : facts.flags) text += entry(term_of(flag), flag.help);
  text += entry("-h, --help", "show this help");
  if (!facts.note.empty()) text += heading("NOTES") + plain(facts.note) + "\n";
  return text + heading("EXAMPLES") + verbatim(facts.example) + heading("SEE ALSO") + ".BR muster (1)\n";
}

std::string man_of_job_file(const ManSource& source) {
  std::string text =
      title(source, "muster-job", "5") + heading("NAME") + "muster\\-job \\- the job file of muster\n" +
      heading("DESCRIPTION") +
      "A YAML file. Only the key command is required. muster validate FILE checks a job file; muster schema "
      "job prints the JSON Schema.\n" +
      verbatim("command: [python, train.py]") + heading("KEYS");
  add_keys(job_keys(), "", text);
  text += ".SS \"Keys of an entry of groups\"\n";
  add_keys(group_keys(), "", text);
  return text + heading("SEE ALSO") + ".BR muster (1),\n.BR muster\\-run (1)\n";
}

}  // namespace muster
