#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 8> kHostRows = {{
    {"E1501", "not the name of a host",
     "A host is what your ssh takes: a name, an alias of ~/.ssh/config, an address, with USER@ in front where it is "
     "another. "
     "Options of ssh, a port for example, belong into ~/.ssh/config, under an alias.",
     "-p2222 a1", "a1\nmia@a2\n[fe80::1]:4"},
    {"E1502", "not a number of slots", "Slots are how many ranks a host takes: 1 to 65536, as a1:4 or as slots=4.",
     "a1 slots=many", "a1 slots=4"},
    {"E1503", "a host that stands twice", "Each host stands once; its slots say how many ranks it takes.", "a1\na1",
     "a1 slots=2"},
    {"E1504", "a list without hosts", "Nothing but blank lines and comments was found.", "# my hosts",
     "# my hosts\na1"},
    {"E1505", "too many hosts", "A job has at most 4096 hosts.", "", ""},
    {"E1506", "a host has no such setting",
     "Behind its name a host has slots=N, label=WORD, weight=N and nothing else. What is no setting may be a comment "
     "without its #.",
     "a1 slots=4 max_slots=8", "a1 slots=4    # the large one"},
    {"E1507", "not a label",
     "A label is a word of your own for a kind of host, which a job or a group may ask for: letters, digits and ._-, "
     "at "
     "most 63.",
     "a1 label=rack/1", "a1 label=rack1"},
    {"E1508", "not a weight",
     "Where a job does not need all its hosts, those of the greatest weight are taken first: 0 to 1000, 1 unless said.",
     "a1 weight=heavy", "a1 weight=2"},
}};

}  // namespace

std::span<const ExplainRow> explain_host_rows() { return kHostRows; }

}  // namespace muster
