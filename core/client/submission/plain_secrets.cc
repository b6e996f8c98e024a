// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/plain_secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>

#include "core/client/submission/preflight.h"

namespace muster {
namespace {

constexpr size_t kShortest = 6;
constexpr size_t kShortestKey = 16;

// Prefixes of tokens: GitHub, GitLab, Hugging Face, OpenAI, Slack, AWS, Google, JSON Web Tokens, PEM.
constexpr std::array<std::string_view, 15> kForms{"ghp_", "gho_",  "ghs_",  "github_pat_", "glpat-",
                                                  "hf_",  "sk-",   "xoxb-", "xoxp-",       "xoxa-",
                                                  "AKIA", "AIzaS", "eyJ",   "npm_",        "-----BEGIN "};

constexpr std::array<std::string_view, 5> kWords{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL"};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool is_digit(unsigned char c) { return std::isdigit(c) != 0; }
bool is_letter(unsigned char c) { return std::isalpha(c) != 0; }

bool has(std::string_view text, bool (*what)(unsigned char)) { return std::any_of(text.begin(), text.end(), what); }

bool has_form(std::string_view value) {
  if (value.size() < kShortestKey) return false;
  return std::any_of(kForms.begin(), kForms.end(), [&](std::string_view form) { return value.starts_with(form); });
}

// "https://user:word@host/".
bool is_url_with_password(std::string_view value) {
  const size_t host = value.find("://");
  if (host == std::string_view::npos) return false;
  const std::string_view user = value.substr(host + 3, value.find('/', host + 3) - host - 3);
  const size_t at = user.rfind('@');
  return at != std::string_view::npos && user.find(':') < at;
}

bool is_named_so(const std::string& name, std::string_view what) {
  return name == what || name.ends_with("_" + std::string(what));
}

// True if the value is not a secret itself, but a path, an address, a flag or a number: "/run/key", "https://…", "true".
bool is_no_value(std::string_view value) {
  const bool place = value.find('/') < 3 || value.find("://") != std::string_view::npos;
  return place || value.size() < kShortest || value.find(' ') != std::string_view::npos || !has(value, is_letter);
}

std::string help_for(const std::string& name, const SourceRange& where) {
  if (where.line == 0 && where.file == "--env") return "-e " + name + " takes it from your shell and keeps it secret";
  return "`" + name + ": {from: \"env:" + name + "\"}` takes it from your shell; file:PATH and cmd:PROGRAM work too";
}

using Found = std::function<void(const std::string& path, const std::string& name, const std::string& value)>;

void each_plain(const JobSpec& spec, const Found& found) {
  const auto look = [&](const std::map<std::string, EnvValue>& variables, const std::string& path) {
    for (const auto& [name, value] : variables) {
      if (!value.secret && looks_secret(name, value.literal)) found(path + name, name, value.literal);
    }
  };
  look(spec.env, "env.");
  for (size_t i = 0; i < spec.groups.size(); ++i) look(spec.groups[i].env, "groups." + std::to_string(i) + ".env.");
}

}  // namespace

bool looks_secret(const std::string& name, const std::string& value) {
  if (has_form(value) || is_url_with_password(value)) return true;
  const std::string as = upper(name);
  if (is_no_value(value)) return false;
  const bool said = std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return as.find(word) != std::string::npos && !as.ends_with("_NAME") && !as.ends_with("_ID");
  });
  if (said || is_named_so(as, "TOKEN") || is_named_so(as, "PASS")) return true;
  // KEY may also be the key of a dictionary. A secret key is long and contains digits.
  return is_named_so(as, "KEY") && value.size() >= kShortestKey && has(value, is_digit);
}

std::vector<Diagnostic> plain_secrets(const JobSpec& spec, const Places& places, const std::string& origin) {
  std::vector<Diagnostic> found;
  each_plain(spec, [&](const std::string& path, const std::string& name, const std::string&) {
    Diagnostic plain{.severity = Severity::warning, .code = "E1411"};
    plain.where = place_of(places, path, origin);
    plain.message = "`" + name + "` looks like a secret, but its value would be stored in the job's record";
    plain.help = help_for(name, plain.where);
    found.push_back(std::move(plain));
  });
  return found;
}

void blot_secrets(const JobSpec& spec, std::vector<SourceText>& sources) {
  each_plain(spec, [&](const std::string&, const std::string&, const std::string& value) {
    for (SourceText& source : sources) {
      for (size_t at = source.text.find(value); at != std::string::npos; at = source.text.find(value, at))
        source.text.replace(at, value.size(), std::string(value.size(), '*'));
    }
  });
}

}  // namespace muster
