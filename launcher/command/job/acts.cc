// SPDX-License-Identifier: Apache-2.0
#include "launcher/command/job/acts.h"

#include <nlohmann/json.hpp>

#include "core/client/view/document.h"
#include "launcher/cli/output_format.h"

namespace muster {

void Acts::did(const JobView& job, const std::string& word, const std::string& sentence) {
  acts_.push_back({job.name, job.id.text(), word, ""});
  if (format_ == "name") context_.screen.out(job.name + "\n");
  if (!is_document(format_) && format_ != "name") context_.screen.err(sentence);
}

void Acts::failed(const std::string& what, const Status& status) {
  acts_.push_back({what, "", "", status.message()});
  const int code = fail(context_, status);
  if (exit_code_ == exit_ok) exit_code_ = code;
}

int Acts::finish() {
  if (!is_document(format_)) return exit_code_;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Act& act : acts_) {
    nlohmann::ordered_json each{{"job", act.job}};
    if (!act.id.empty()) each["id"] = act.id;
    if (!act.word.empty()) each["act"] = act.word;
    if (!act.error.empty()) each["error"] = act.error;
    list.push_back(std::move(each));
  }
  print_document(context_.screen, format_, document_of("acts", nlohmann::ordered_json{{"acts", list}}));
  return exit_code_;
}

}  // namespace muster
