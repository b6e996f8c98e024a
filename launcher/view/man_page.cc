#include "launcher/view/man_page.h"

#include "core/base/text.h"
#include "core/job/file/job_keys.h"

namespace muster {
namespace {

// Text as roff prints it: no request at the beginning of a line, no escape inside one.
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

// A line of a heading or list, where quotes bound arguments.
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
  text += entry("0", "it went well") + entry("1", "the job failed, or a check found a problem");
  text += entry("2", "the command line or a file is wrong") +
          entry("3", "there is no controller, and none could be started");
  text += entry("4", "not allowed to speak to it") + entry("5", "there is no such job, file or key");
  text +=
      entry("6", "a name is taken, or a job is not in the state the command needs") + entry("7", "it took too long");
  text += entry("8", "refused: by policy, quota, or a machine that is too small");
  return text + entry("128+N", "ended by signal N; 130 is Ctrl\\-C");
}

std::string variables() {
  std::string text = heading("ENVIRONMENT");
  text += entry("MUSTER_STATE_DIR", "where jobs and their output are kept (else XDG_STATE_HOME/muster)");
  text += entry("MUSTER_IDLE", "how long the controller stays without a job; 0: for ever");
  text += entry("MUSTER_COLOR", "auto, always or never, as the flag --color");
  text += entry("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM", "as everywhere: no colour, or colour without a terminal");
  return text + entry("MUSTER_WORKERS, MUSTER_NODES, …",
                      "stand for flags of run that are not typed; muster run --help lists them");
}

std::string files() {
  std::string text = heading("FILES");
  text += entry("muster.yaml", "defaults of a project's jobs: muster config");
  text += entry("~/.config/muster/config.yaml, /etc/muster/config.yaml", "the same of a user and of the machine");
  return text + entry(".muster/runtimes/NAME.yaml", "templates of jobs: muster runtimes");
}

void add_keys(std::span<const Key> keys, const std::string& prefix, std::string& text) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    text += entry(path, std::string(key.doc) + " Wants " + wanted(key) + ".");
    if (key.type == KeyType::map) add_keys(key.children, path + ".", text);
  }
}

}  // namespace

std::string man_overview(const ManSource& source) {
  std::string text = title(source, "muster", "1") + heading("NAME") + "muster \\- runs distributed training\n" +
                     heading("SYNOPSIS") + ".B muster\n.I COMMAND\n[flags]\n" + heading("DESCRIPTION") +
                     "A JOB is a name, an id, the beginning of either, or @last; commands that only look take @last "
                     "when none is named. "
                     "Every command has a page of its own: muster\\-run(1).\n" +
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
  text += entry("-h, --help", "this command's help");
  if (!facts.note.empty()) text += heading("NOTES") + plain(facts.note) + "\n";
  return text + heading("EXAMPLES") + verbatim(facts.example) + heading("SEE ALSO") + ".BR muster (1)\n";
}

std::string man_of_job_file(const ManSource& source) {
  std::string text =
      title(source, "muster-job", "5") + heading("NAME") + "muster\\-job \\- the job file of muster\n" +
      heading("DESCRIPTION") +
      "A YAML file. Every key but command may be left out. muster validate FILE checks one, muster schema "
      "job is its JSON Schema.\n" +
      verbatim("command: [python, train.py]") + heading("KEYS");
  add_keys(job_keys(), "", text);
  text += ".SS \"of one entry of groups\"\n";
  add_keys(group_keys(), "", text);
  return text + heading("SEE ALSO") + ".BR muster (1),\n.BR muster\\-run (1)\n";
}

}  // namespace muster
