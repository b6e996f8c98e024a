// The stable codes of diagnostics and what `muster explain CODE` says about each: meaning, example, mending. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct Explanation {
  std::string code;
  std::string title;
  std::string text;  // paragraphs, one line each, and an example of wrong and right
};

std::optional<Explanation> explain(std::string_view code);
std::vector<std::string> explained_codes();

}  // namespace muster
