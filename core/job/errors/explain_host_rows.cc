// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 8> kHostRows = {{
    {"E1501", "not the name of a host",
     "A host is a name that you can give to ssh: a host name, an alias of ~/.ssh/config or an address, with USER@ in "
     "front if the user is another. If ssh needs options, a port for example, put them into ~/.ssh/config under an "
     "alias.",
     "-p2222 a1", "a1\nmia@a2\n[fe80::1]:4"},
    {"E1502", "not a number of slots",
     "The slots of a host are the number of ranks that it takes: 1 to 65536, written as a1:4 or as slots=4.",
     "a1 slots=many", "a1 slots=4"},
    {"E1503", "a host that is listed twice", "List each host once. Its slots say how many ranks it takes.", "a1\na1",
     "a1 slots=2"},
    {"E1504", "a list without hosts", "The list contains nothing but blank lines and comments.", "# my hosts",
     "# my hosts\na1"},
    {"E1505", "too many hosts", "A job has at most 4096 hosts.", "", ""},
    {"E1506", "an unknown setting of a host",
     "The name of a host can be followed by slots=N, label=WORD and weight=N, and nothing else. A comment begins "
     "with #.",
     "a1 slots=4 max_slots=8", "a1 slots=4    # the large one"},
    {"E1507", "not a valid label",
     "A label is a word of your own for a kind of host; a job or a group can select hosts by it. It has at most 63 "
     "characters: letters, digits and ._-",
     "a1 label=rack/1", "a1 label=rack1"},
    {"E1508", "not a weight",
     "If a job does not need all its hosts, it takes those with the greatest weight first. A weight is a number from "
     "0 to 1000; the default is 1.",
     "a1 weight=heavy", "a1 weight=2"},
}};

}  // namespace

std::span<const ExplainRow> explain_host_rows() { return kHostRows; }

}  // namespace muster
