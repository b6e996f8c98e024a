// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/job/errors/explain_table.h"

namespace muster {
namespace {

constexpr std::array<ExplainRow, 13> kFileRows = {{
    {"E1001", "the file is not YAML",
     "The text breaks the grammar of YAML at the place shown or a little before it. Look for a bracket or quote that "
     "is not closed, for uneven indentation, or for a text with `: ` in it that needs quotes.",
     "command: [python, train.py\nworkdir: .", "command: [python, train.py]\nworkdir: ."},
    {"E1002", "the file is too large",
     "A job file has at most 256 KiB. Put programs, data and long lists into files of their own, and name those in "
     "`command`.",
     "", ""},
    {"E1003", "a line is indented with a tab",
     "YAML allows only spaces for indentation, because the width of a tab is not defined. Most editors can insert "
     "spaces when you press the Tab key.",
     "env:\n<tab>LEVEL: debug", "env:\n  LEVEL: debug"},
    {"E1004", "the file is nested too deeply",
     "Lists and maps can be nested at most 32 levels deep. A job file needs about five.", "env: {A: [[[[…]]]]}", ""},
    {"E1005", "too many aliases, or an alias of itself",
     "A file can have at most 64 aliases (`*name`). An alias cannot be inside the value that it refers to (`&name`), "
     "because that value would have no end.",
     "env: &e {A: *e}", "env: &e {A: x}"},
    {"E1006", "the file is not text",
     "A job file is UTF-8 text without control characters. If it was saved as UTF-16 or Latin-1, save it again as "
     "UTF-8.",
     "", ""},
    {"E1007", "the file contains several documents",
     "A line `---` begins another YAML document. A job file contains one job; put each job into a file of its own.",
     "name: one\n---\nname: two", "name: one"},
    {"E1008", "the file contains too many values",
     "A file can contain 20,000 values. Each list entry, key and value counts. A value that an alias repeats counts "
     "each time.",
     "", ""},
    {"E1009", "the file contains a YAML tag",
     "Tags such as `!!str` or `!!python/object` name types of programming languages. muster accepts no tags. To make "
     "a value a text, put it in quotes.",
     "env: {ANSWER: !!str no}", "env: {ANSWER: \"no\"}"},
    {"E1010", "the file is not a map", "The top level of a job file is a map: lines of the form `key: value`.",
     "- python\n- train.py", "command: [python, train.py]"},
    {"E1011", "the file is empty",
     "The file contains nothing but white space and comments. A job file needs at least the key `command`.", "# todo",
     "command: [python, train.py]"},
    {"E1012", "more problems than are shown",
     "muster shows the first 200 problems and only counts the others. Many problems often have one cause: correct "
     "those that are shown, and try again.",
     "", ""},
    {"E1013", "the file cannot be read",
     "The file does not exist, it is a folder or a device, or you do not have permission to read it. A relative path "
     "begins in the current folder.",
     "", ""},
}};

}  // namespace

std::span<const ExplainRow> explain_file_rows() { return kFileRows; }

}  // namespace muster
