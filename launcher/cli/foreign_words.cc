// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/foreign_words.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

struct Pair {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::string_view kListJobs = "`muster ps` lists jobs";
constexpr std::string_view kShowJob = "`muster describe JOB` shows a job, and `muster ps` lists jobs";
constexpr std::string_view kStopJob = "`muster stop JOB` stops a job, and `muster stop --all` stops all";
constexpr std::string_view kDeleteJob = "`muster stop JOB` stops a job, and `muster rm JOB` deletes one that has ended";
constexpr std::string_view kRun = "`muster run -n RANKS -- PROGRAM` runs a program";
constexpr std::string_view kMpi = "`muster mpirun -np RANKS PROGRAM` takes the flags of mpirun and mpiexec";
constexpr std::string_view kSubmit = "`muster submit FILE` submits a job";
constexpr std::string_view kLogs = "`muster logs JOB` prints the output of a job";
constexpr std::string_view kHosts = "`muster hosts --hosts a1,a2` shows what hosts have";
constexpr std::string_view kEnded = "`muster ps -a` lists all jobs, also those that have ended";
constexpr std::string_view kShell = "`muster exec JOB` opens a shell beside a rank";

constexpr std::array<Pair, 36> kCommands{{
    {"status", kShowJob},  {"show", kShowJob},     {"info", kShowJob},   {"inspect", kShowJob},
    {"get", kShowJob},     {"list", kListJobs},    {"ls", kListJobs},    {"jobs", kListJobs},
    {"queue", kListJobs},  {"squeue", kListJobs},  {"qstat", kListJobs}, {"cancel", kStopJob},
    {"scancel", kStopJob}, {"qdel", kStopJob},     {"abort", kStopJob},  {"terminate", kStopJob},
    {"end", kStopJob},     {"delete", kDeleteJob}, {"del", kDeleteJob},  {"remove", kDeleteJob},
    {"start", kRun},       {"launch", kRun},       {"srun", kRun},       {"mpiexec", kMpi},
    {"orterun", kMpi},     {"sbatch", kSubmit},    {"qsub", kSubmit},    {"log", kLogs},
    {"output", kLogs},     {"tail", kLogs},        {"nodes", kHosts},    {"sinfo", kHosts},
    {"history", kEnded},   {"sacct", kEnded},      {"shell", kShell},    {"ssh", kShell},
}};

constexpr std::array<Pair, 33> kFlags{{
    {"-np", "--workers"},
    {"--np", "--workers"},
    {"--nproc", "--workers"},
    {"--nprocs", "--workers"},
    {"--nproc-per-node", "--workers"},
    {"--nproc_per_node", "--workers"},
    {"--ntasks-per-node", "--workers"},
    {"--ntasks", "--workers"},
    {"--num-processes", "--workers"},
    {"--num_processes", "--workers"},
    {"--ranks", "--workers"},
    {"--nnodes", "--nodes"},
    {"--num-machines", "--nodes"},
    {"--num_machines", "--nodes"},
    {"--max-restarts", "--restarts"},
    {"--max_restarts", "--restarts"},
    {"-host", "--hosts"},
    {"--host", "--hosts"},
    {"--nodelist", "--hosts"},
    {"-hostfile", "--hostfile"},
    {"-machinefile", "--hostfile"},
    {"--machinefile", "--hostfile"},
    {"--gpus-per-task", "--gpus"},
    {"--cpus-per-task", "--cpus"},
    {"--mem", "--memory"},
    {"--job-name", "--name"},
    {"--chdir", "--workdir"},
    {"--cwd", "--workdir"},
    {"--wdir", "--workdir"},
    {"--time", "--timeout-run"},
    {"--timeout", "--timeout-run"},
    {"--export", "--env"},
    {"--background", "--detach"},
}};

constexpr std::string_view kAfter =
    "a job does not wait for another job; to start one after another: muster wait JOB && muster run …";

// Flags for which muster has another way.
constexpr std::array<Pair, 4> kOtherWays{{
    {"--after", kAfter},
    {"--afterok", kAfter},
    {"--dependency", kAfter},
    {"--depend", kAfter},
}};

template <size_t N>
std::string_view ours_in(const std::array<Pair, N>& pairs, std::string_view word) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.theirs == word; });
  return found == pairs.end() ? std::string_view() : found->ours;
}

}  // namespace

std::string_view own_command_for(std::string_view word) { return ours_in(kCommands, word); }

std::string_view other_way_for(std::string_view flag) { return ours_in(kOtherWays, flag); }

std::string_view own_flag_for(std::string_view flag) {
  constexpr std::string_view kRanks = "-np";  // mpirun's, also as -np2
  const bool counts = flag.starts_with(kRanks) && flag.find_first_not_of("0123456789", kRanks.size()) == flag.npos;
  return ours_in(kFlags, counts ? kRanks : flag);
}

}  // namespace muster
