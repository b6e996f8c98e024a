// A name for a job that nobody named: "train-7f2". Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"

namespace muster {

// The part of `command` that a person would call it by: the script of an interpreter, the module of `-m`, else
// the program.
std::string program_word(const std::vector<std::string>& command);

// The file's stem; its folder's name when the stem says nothing ("job.yaml"). "-" and "" give "".
std::string file_word(const std::string& path);

// `word` as a job may be called (DESIGN.md §9.12), with three random hexadecimal digits behind it.
std::string make_job_name(const std::string& word, Random& random);

// The same without digits: for a text that is to stay the same.
std::string plain_job_name(const std::string& word);

}  // namespace muster
