// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/kubectl_prompts.h"

#include <algorithm>
#include <utility>

#include "backends/kubernetes/cluster/kubectl_words.h"

namespace muster {

namespace {

// A question has no end of line; a login names an address or a code.
bool asks(std::string_view text) {
  const auto says = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return !text.ends_with('\n') || says("http://") || says("https://") || says("code");
}

}  // namespace

bool KubectlPrompts::show(std::string_view text) {
  std::string fresh;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string line(text.substr(0, end));
    const bool whole = end != std::string_view::npos;
    text.remove_prefix(whole ? end + 1 : text.size());
    if (is_kubectl_log_line(line) || (whole && !line.empty() && !shown_.insert(line).second)) continue;
    fresh += line + (whole ? "\n" : "");
  }
  const bool blank = fresh.find_first_not_of('\n') == std::string::npos;
  if (!blank) show_(fresh);
  return !blank && asks(fresh);
}

KubectlErrors::KubectlErrors(Loop& loop, std::shared_ptr<KubectlPrompts> prompts, std::function<void()> prompted)
    : loop_(loop),
      prompts_(std::move(prompts)),
      prompted_(std::move(prompted)) {}

void KubectlErrors::take(std::string_view bytes) {
  constexpr size_t kMost = 16 * 1024;
  text_.append(bytes);
  if (text_.size() > kMost) text_.erase(0, text_.size() - kMost);
  if (!prompts_) return;
  held_.append(bytes);
  if (timer_ == 0) timer_ = loop_.at(loop_.now() + delay, [this] { show(); });
}

void KubectlErrors::end(bool well) {
  if (prompts_ && well) prompts_->show(std::exchange(held_, ""));
  loop_.cancel(std::exchange(timer_, 0));
}

void KubectlErrors::show() {
  timer_ = 0;
  if (prompts_->show(std::exchange(held_, "")) && prompted_) prompted_();
}

}  // namespace muster
