// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "core/client/view/document.h"
#include "core/job/json_text.h"
#include "launcher/doctor/doctor.h"

namespace muster {
namespace {

std::string word_of(Finding::Level level) {
  switch (level) {
    case Finding::Level::ok: return "ok";
    case Finding::Level::note: return "note";
    case Finding::Level::problem: return "problem";
  }
  return "";
}

Colour colour_of(Finding::Level level) {
  if (level == Finding::Level::ok) return Colour::green;
  return level == Finding::Level::note ? Colour::yellow : Colour::red;
}

std::string said(const Finding& finding) {
  return finding.text + (finding.effect.empty() ? "" : "; " + finding.effect);
}

size_t count(const std::vector<Finding>& findings, Finding::Level level) {
  size_t total = 0;
  for (const Finding& finding : findings) total += finding.level == level ? 1 : 0;
  return total;
}

}  // namespace

// Lines are not cut at the terminal's width, so that paths and commands can be copied.
std::string doctor_view(const std::vector<Finding>& findings, Style style) {
  style.columns = 0;
  std::vector<Row> rows;
  for (const Finding& finding : findings) {
    rows.push_back({{word_of(finding.level), colour_of(finding.level)}, {finding.subject}, {escaped(said(finding))}});
    if (!finding.mend.empty()) rows.push_back({{""}, {""}, {"→ " + escaped(finding.mend), Colour::dim}});
  }
  return table(rows, style) + "\n" + count_of(count(findings, Finding::Level::problem), "problem") + ", " +
         count_of(count(findings, Finding::Level::note), "note") + "\n";
}

std::string doctor_json(const std::vector<Finding>& findings) {
  std::string list;
  for (const Finding& finding : findings) {
    list += (list.empty() ? "" : ",") + std::string("{\"subject\":") + json_quoted(finding.subject) +
            ",\"level\":" + json_quoted(word_of(finding.level)) + ",\"text\":" + json_quoted(finding.text) +
            ",\"effect\":" + json_quoted(finding.effect) + ",\"mend\":" + json_quoted(finding.mend) +
            ",\"fixable\":" + (finding.fix == Fix::none ? "false" : "true") + "}";
  }
  return "{\"schema\":" + json_quoted(schema_of("findings")) + ",\"findings\":[" + list + "]}";
}

}  // namespace muster
