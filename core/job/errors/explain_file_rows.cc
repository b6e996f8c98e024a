#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 13> kFileRows = {{
    {"E1001", "the file is not YAML",
     "The text breaks YAML's grammar at the place shown, or a little before it: look for a bracket or quote that "
     "is not "
     "closed, an uneven indentation, or a text with `: ` that wants quotes.",
     "command: [python, train.py\nworkdir: .", "command: [python, train.py]\nworkdir: ."},
    {"E1002", "the file is too large",
     "A job file has at most 256 KiB. Programs, data and long lists belong into files of their own, named in "
     "`command`.",
     "", ""},
    {"E1003", "a tab indents a line",
     "YAML indents with blanks only, since nobody knows how wide a tab is. Many editors can replace tabs as you "
     "type.",
     "env:\n<tab>LEVEL: debug", "env:\n  LEVEL: debug"},
    {"E1004", "the file is nested too deeply",
     "Lists and maps may lie in one another 32 levels deep; a job file needs about five.", "env: {A: [[[[…]]]]}", ""},
    {"E1005", "aliases are used wrongly or too often",
     "A file may use 64 aliases (`*name`), and an alias may not stand inside what it names: such files grow "
     "without bound.",
     "env: &e {A: *e}", "env: &e {A: x}"},
    {"E1006", "the file is not text",
     "A job file is UTF-8 without control characters. Files saved as UTF-16 or Latin-1 need to be saved again as "
     "UTF-8.",
     "", ""},
    {"E1007", "the file holds several documents",
     "A line `---` begins another document. A job file holds one job; put each job into a file of its own.",
     "name: one\n---\nname: two", "name: one"},
    {"E1008", "the file holds too many values",
     "Each list entry, key and value counts, and what an alias names counts each time it is used. A file may hold "
     "20,000.",
     "", ""},
    {"E1009", "the file has a YAML tag",
     "Tags such as `!!str` or `!!python/object` name types of programming languages. muster reads none of them; "
     "where a "
     "text looks like something else, quotes make it a text.",
     "env: {ANSWER: !!str no}", "env: {ANSWER: \"no\"}"},
    {"E1010", "the file is not a map", "At its top a job file is a map: lines of `key: value`.", "- python\n- train.py",
     "command: [python, train.py]"},
    {"E1011", "the file is empty", "There is nothing in the file but blanks and comments. One key is enough for a job.",
     "# todo", "command: [python, train.py]"},
    {"E1012", "more problems than are shown",
     "After 200 problems the rest are counted only: many of them often have one cause. Mend those shown and try "
     "again.",
     "", ""},
    {"E1013", "the file cannot be read",
     "There is no such file, it is a folder or a device, or you may not read it. The path is meant from where you are.",
     "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_file_rows() { return kFileRows; }

}  // namespace muster
