// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 8> kMpirunRows = {{
    {"E1701", "an unknown flag of mpirun",
     "`muster mpirun` knows the flags of Open MPI's mpirun and of Hydra's mpiexec; `muster mpirun --help` lists them. "
     "Flags come before the program. Words after the program belong to the program.",
     "muster mpirun --npp 4 ./heat", "muster mpirun -np 4 ./heat"},
    {"E1702", "a wrong value of a flag of mpirun",
     "The message says which values the flag takes. Flags with two values, such as --mca KEY VALUE, take them as two "
     "words.",
     "muster mpirun -np four ./heat", "muster mpirun -np 4 ./heat"},
    {"E1703", "a flag of mpirun that muster does not have",
     "Without the flag the program would run in another way than you asked for, so nothing is started. The message "
     "says what to use instead.",
     "muster mpirun --rankfile ranks ./heat", "muster mpirun -H a1:2,a2:4 ./heat"},
    {"E1704", "a file of mpirun that cannot be read",
     "A host file has a host on each line: NAME, NAME:4 or NAME slots=4. An appfile has a program on each line: "
     "[flags] "
     "PROGRAM [arguments].",
     "muster mpirun --hostfile missing ./heat", "muster mpirun --hostfile hosts ./heat"},
    {"E1705", "more ranks than slots",
     "A slot is a place for a rank. This machine has one for each core; a host that -H names has one for each time it "
     "is "
     "named; a host of a host file has slots=N, or one for each core. As with mpirun, more ranks than slots are "
     "started "
     "only with --oversubscribe. The same holds for CPUs if ranks are bound.",
     "muster mpirun -np 400 ./heat", "muster mpirun -np 400 --oversubscribe ./heat"},
    {"E1706", "a command line of mpirun without a program",
     "Name the program after the flags. With several programs, each `:` is followed by the flags and the program.",
     "muster mpirun -np 4", "muster mpirun -np 4 ./heat"},
    {"E1707", "an order of ranks that muster cannot make",
     "A group of a job has the same number of ranks on each host, and hosts are taken in turn only within a group. So "
     "--map-by node needs a number of ranks that is a multiple of the number of hosts, and one program.",
     "muster mpirun -np 3 -H a1:2,a2:2 --map-by node ./heat", "muster mpirun -np 4 -H a1:2,a2:2 --map-by node ./heat"},
    {"E1708", "a mistake in an appfile",
     "Each line is [flags] PROGRAM [arguments]. Quotes keep blanks, and # begins a comment.", "-np 2 ./heat 'hot",
     "-np 2 ./heat 'hot'"},
}};

}  // namespace

std::span<const ExplainRow> explain_mpirun_rows() { return kMpirunRows; }

}  // namespace muster
