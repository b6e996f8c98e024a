// muster doctor: what of this machine will stand in a job's way, and how to mend it.
#include "launcher/doctor/doctor.h"

#include "core/base/text.h"
#include "launcher/command/command.h"
#include "launcher/command/output_format.h"
#include "launcher/doctor/fix.h"

namespace muster {
namespace {

struct DoctorFlags {
  std::optional<std::string> python;
  bool fix = false;
  bool look_only = false;
  std::string format = "text";
};

// Each command is told before it is done. True: something was.
bool mend(CommandContext& context, const DoctorFlags& flags, const DoctorFacts& facts) {
  const std::vector<Finding> findings = judge(facts);
  bool done = false;
  for (const Repair& one : repairs(facts, findings)) {
    context.screen.err((flags.look_only ? "would run: " : "runs: ") + escaped(one.command) + "\n");
    if (flags.look_only) continue;
    const Status status = repair(context.surroundings, facts, one.fix);
    if (!status.ok()) context.screen.err(error_line(context.err_style(), status.message()));
    done = true;
  }
  for (const std::string& line : left_to_hands(findings)) context.screen.err("left to you: " + escaped(line) + "\n");
  return done;
}

void show(CommandContext& context, const std::string& format, const std::vector<Finding>& findings) {
  if (is_document(format)) {
    print_document(context.screen, format, doctor_json(findings));
  } else if (format == "name") {
    for (const Finding& finding : findings) {
      if (finding.level == Finding::Level::problem) context.screen.out(finding.subject + "\n");
    }
  } else {
    context.screen.out(doctor_view(findings, context.out_style()));
  }
}

}  // namespace

int doctor_main(CommandContext& context, const std::vector<std::string>& arguments) {
  DoctorFlags flags;
  std::vector<std::string> none;
  CommandLine line("doctor [flags]", "Checks this machine: what will stand in a job's way, and how to mend it.",
                   "muster doctor --python ./venv/bin/python");
  line.value("--python", "PATH", flags.python, "the interpreter to ask, instead of the one that muster run takes")
      .flag("--fix", flags.fix, "mends what is safe to mend; says each command before, and what is left to you")
      .flag("--dry-run", flags.look_only, "with --fix: only says the commands")
      .words("nothing", 0, 0, none)
      .note("Exits 1 when a problem stands in the way; notes do not count. docs/doctor.md has every rule.");
  declare_format(line, flags.format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (flags.look_only && !flags.fix) return fail(context, {Code::invalid_argument, "--dry-run goes with --fix"});
  DoctorFacts facts = gather_facts(context.surroundings, flags.python.value_or(""));
  if (flags.fix && mend(context, flags, facts)) facts = gather_facts(context.surroundings, flags.python.value_or(""));
  const std::vector<Finding> findings = judge(facts);
  show(context, flags.format, findings);
  return has_problem(findings) ? exit_job_failed : exit_ok;
}

}  // namespace muster
