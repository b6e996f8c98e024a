// muster doctor: what of this machine will stand in a job's way, and how to mend it.
#include "launcher/doctor/doctor.h"
#include "launcher/command/command.h"
#include "launcher/command/output_format.h"

namespace muster {

int doctor_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string format = "text";
  std::vector<std::string> none;
  CommandLine line("doctor [flags]", "Checks this machine: what will stand in a job's way, and how to mend it.",
                   "muster doctor -o json");
  line.words("nothing", 0, 0, none);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const std::vector<Finding> findings = judge(gather_facts(context.surroundings));
  if (is_document(format)) {
    print_document(context.screen, format, doctor_json(findings));
  } else {
    context.screen.out(doctor_view(findings, context.out_style()));
  }
  return has_problem(findings) ? exit_job_failed : exit_ok;
}

}  // namespace muster
