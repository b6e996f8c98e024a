// SPDX-License-Identifier: Apache-2.0
// Converts a command line of mpirun to a job. Reads files and this machine; creates and starts nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/client/caller_context.h"
#include "core/job/job_spec.h"
#include "core/job/mpirun/mpirun_line.h"
#include "core/job/plan/plan.h"
#include "launcher/mpirun/mpirun_layout.h"

namespace muster {

// A command line with the files that it names.
struct MpirunSource {
  MpirunFlags flags;
  MpirunPlaces places;
  std::vector<SourceText> texts;  // host files and the appfile, for diagnostics
  std::optional<Diagnostic> problem;
};

// Reads the appfile and the host files. E1704: one cannot be read; E15xx, E170x: a mistake in one.
MpirunSource read_mpirun_files(MpirunFlags flags, const CallerContext& caller,
                               const std::vector<std::string>& own_names);

// Names of this machine in -H and host files.
std::vector<std::string> own_host_names();

// This machine, and the variables of the command. `hosts` of the result is empty.
MpirunFacts mpirun_facts_here(const CallerContext& caller);

// What a machine has, by the positions of its CPUs; empty: `cpus` cores.
MpirunMachine machine_of(const std::vector<CpuPlace>& places, size_t cpus);

struct MpirunSpec {
  JobSpec spec;
  uint32_t ranks = 0;
  std::vector<std::string> notes;
};

// The job for a layout without a problem. Of the hosts, only those with a rank are in it.
MpirunSpec mpirun_spec(const MpirunSource& source, const MpirunLayout& layout, const CallerContext& caller);

}  // namespace muster
