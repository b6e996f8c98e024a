// What stands before a line of a tee'd stream: torchrun's --log-line-prefix-template. Pure.
#pragma once

#include <map>
#include <string>

namespace muster {

// `text` with $name, ${name} and $$ replaced as Python's string.Template.safe_substitute does: what is not in `values` stays.
std::string substitute_template(const std::string& text, const std::map<std::string, std::string>& values);

}  // namespace muster
