// SPDX-License-Identifier: Apache-2.0
#include "core/job/variable_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace muster {
namespace {

constexpr std::array<std::string_view, 23> kPrefixes = {
    "NCCL_", "GLOO_", "TP_",   "TORCH_",    "PYTORCH_", "TORCHINDUCTOR_", "TRITON_", "OMP_", "KMP_",
    "GOMP_", "MKL_",  "CUDA_", "OPENBLAS_", "HF_",      "TRANSFORMERS_",  "WANDB_",  "JAX_", "XLA_",
    "TF_",   "UCX_",  "FI_",   "OMPI_MCA_", "PMIX_MCA_"};
// Set by mpirun for its own ranks.
constexpr std::array<std::string_view, 2> kOfMpirun = {"OMPI_MCA_orte_", "OMPI_MCA_ess"};
constexpr std::array<std::string_view, 5> kNames = {"LANG", "TZ", "PYTHONHASHSEED", "PYTHONUNBUFFERED",
                                                    "PYTHONWARNINGS"};
// Set by each machine for its own devices.
constexpr std::array<std::string_view, 4> kNever = {"CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY",
                                                    "CUDA_MPS_LOG_DIRECTORY", "CUDA_DEVICE_ORDER"};
constexpr std::array<std::string_view, 13> kEnds = {"_KEY",    "_TOKEN",  "_SECRET", "_PASSWORD", "_HOME",
                                                    "_DIR",    "_PATH",   "_ROOT",   "_CACHE",    "_FILE",
                                                    "_IFNAME", "_FOLDER", "_NETRC"};

constexpr size_t kShortest = 6;
constexpr size_t kShortestKey = 16;

// Prefixes of tokens: GitHub, GitLab, Hugging Face, OpenAI, Slack, AWS, Google, JSON Web Tokens, PEM.
constexpr std::array<std::string_view, 15> kTokenForms{"ghp_", "gho_",  "ghs_",  "github_pat_", "glpat-",
                                                       "hf_",  "sk-",   "xoxb-", "xoxp-",       "xoxa-",
                                                       "AKIA", "AIzaS", "eyJ",   "npm_",        "-----BEGIN "};

constexpr std::array<std::string_view, 5> kSecretWords{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "CREDENTIAL"};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

bool is_digit(unsigned char c) { return std::isdigit(c) != 0; }
bool is_letter(unsigned char c) { return std::isalpha(c) != 0; }

bool has(std::string_view text, bool (*what)(unsigned char)) { return std::any_of(text.begin(), text.end(), what); }

bool has_form(std::string_view value) {
  if (value.size() < kShortestKey) return false;
  return std::any_of(kTokenForms.begin(), kTokenForms.end(),
                     [&](std::string_view form) { return value.starts_with(form); });
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

}  // namespace

bool is_carried(std::string_view name) {
  const auto is = [&](std::string_view each) { return name == each; };
  const auto begins = [&](std::string_view each) { return name.starts_with(each); };
  const auto ends = [&](std::string_view each) { return name.ends_with(each); };
  if (std::any_of(kNever.begin(), kNever.end(), is) || std::any_of(kEnds.begin(), kEnds.end(), ends)) return false;
  if (std::any_of(kOfMpirun.begin(), kOfMpirun.end(), begins)) return false;
  return std::any_of(kNames.begin(), kNames.end(), is) || name.starts_with("LC_") ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), begins);
}

bool looks_secret(const std::string& name, const std::string& value) {
  if (has_form(value) || is_url_with_password(value)) return true;
  const std::string as = upper(name);
  if (is_no_value(value)) return false;
  const bool said = std::any_of(kSecretWords.begin(), kSecretWords.end(), [&](std::string_view word) {
    return as.find(word) != std::string::npos && !as.ends_with("_NAME") && !as.ends_with("_ID");
  });
  if (said || is_named_so(as, "TOKEN") || is_named_so(as, "PASS")) return true;
  // KEY may also be the key of a dictionary. A secret key is long and contains digits.
  return is_named_so(as, "KEY") && value.size() >= kShortestKey && has(value, is_digit);
}

bool is_of_outer_launcher(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"PMIX_",
                                            "PMI_",
                                            "OMPI_COMM_WORLD_",
                                            "OMPI_UNIVERSE_",
                                            "OMPI_MCA_orte_",
                                            "PRTE_LAUNCHED",
                                            "JSM_",
                                            "HYDI_",
                                            "MPI_LOCALRANKID",
                                            "MPI_LOCALNRANKS",
                                            "MUSTER_MPIRUN_",
                                            "PRTE_MCA_prte_default_hostfile",
                                            "HYDRA_HOST_FILE",
                                            "I_MPI_HYDRA_HOST_FILE"};
  return !name.starts_with("PMIX_MCA_") &&
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace muster
