// What a program said last before it failed, as one line for people: the exception of a Python traceback with its
// place, else the last line of stderr. Understands text only; decides nothing.
#pragma once

#include <string>
#include <string_view>

#include "core/port/output_files.h"

namespace muster {

// "RuntimeError: shapes do not match at train.py:41"; empty when there is nothing worth repeating. At most 300 bytes.
std::string last_words_of(std::string_view stderr_tail);

// Of the file's last 16 KiB.
std::string last_words(OutputFiles& files, const std::string& path);

}  // namespace muster
