// SPDX-License-Identifier: Apache-2.0
#include "launcher/completion/key_words.h"

#include "core/job/file/job_keys.h"

namespace muster {
namespace {

void add(std::span<const Key> keys, const std::string& prefix, std::vector<Candidate>& words) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    if (key.type == KeyType::map) {
      add(key.children, path + ".", words);
    } else {
      words.push_back({path, std::string(key.doc)});
    }
  }
}

const Key* key_at(std::span<const Key> keys, const std::string& path) {
  const size_t dot = path.find('.');
  const Key* key = find_key(keys, path.substr(0, dot));
  if (key == nullptr || dot == std::string::npos) return key;
  return key->type == KeyType::map ? key_at(key->children, path.substr(dot + 1)) : nullptr;
}

}  // namespace

std::vector<Candidate> key_words() {
  std::vector<Candidate> words;
  add(job_keys(), "", words);
  return words;
}

std::vector<Candidate> key_choices(const std::string& path) {
  const Key* key = key_at(job_keys(), path);
  std::vector<Candidate> words;
  if (key == nullptr) return words;
  for (const std::string_view choice : key->choices) words.push_back({std::string(choice), ""});
  if (key->type == KeyType::truth) words = {{"true", ""}, {"false", ""}};
  if (key->type == KeyType::auto_count) words = {{"auto", ""}};
  return words;
}

}  // namespace muster
