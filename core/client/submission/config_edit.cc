// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/config_edit.h"

#include <filesystem>

#include "core/base/text.h"
#include "core/client/whole_file.h"
#include "core/job/file/job_keys.h"
#include "core/job/file/job_yaml.h"
#include "core/job/file/written_value.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

Status by_hand(const std::string& file, const std::string& key, const std::string& value) {
  return Status(Code::failed_precondition, "cannot set `" + key + "` in " + file +
                                               " without rewriting other lines; edit the file and add  " + key + ": " +
                                               value);
}

// Replaces the value `now` if it is on one line; keeps the rest of the line, such as a comment.
std::optional<std::string> replaced(const std::string& text, const WrittenValue& now, const std::string& value) {
  std::vector<std::string> lines = split(text, '\n');
  if (now.where.line == 0 || now.where.line > lines.size() || now.is_map) return std::nullopt;
  std::string& line = lines[now.where.line - 1];
  const size_t at = now.where.column - 1;
  if (at > line.size() || line.compare(at, now.text.size(), now.text) != 0) return std::nullopt;
  line.replace(at, now.text.size(), value);
  return join(lines, "\n");
}

// "a.b.c: v" as block lines, without the first `depth` keys, which exist already.
std::string block(const std::vector<std::string>& names, size_t depth, const std::string& value) {
  std::string text;
  for (size_t i = depth; i < names.size(); ++i)
    text += std::string(2 * i, ' ') + names[i] + ":" + (i + 1 == names.size() ? " " + value : "") + "\n";
  return text;
}

// "c: {d: v}": the same in flow form.
std::string flow(const std::vector<std::string>& names, size_t depth, const std::string& value) {
  const std::string inner = depth + 1 == names.size() ? value : "{" + flow(names, depth + 1, value) + "}";
  return names[depth] + ": " + inner;
}

// Inserts the value before the first entry of the map: on a new line, or after its `{`. nullopt if neither is possible.
std::optional<std::string> inserted_in(const std::string& text, const WrittenValue& map, size_t depth,
                                       const std::vector<std::string>& names, const std::string& value) {
  std::vector<std::string> lines = split(text, '\n');
  const size_t at = map.where.column - 1;
  if (map.where.line == 0 || map.where.line > lines.size() || at >= lines[map.where.line - 1].size())
    return std::nullopt;
  std::string& line = lines[map.where.line - 1];
  if (line[at] == '{') {
    line.insert(at + 1, flow(names, depth, value) + (map.text == "{}" ? "" : ", "));
  } else if (line.find_first_not_of(' ') == at) {
    std::string added = block(names, depth, value);
    added.pop_back();
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(map.where.line - 1), added);
  } else {
    return std::nullopt;
  }
  return join(lines, "\n");
}

// Inserts the value into the deepest map of its path that exists; otherwise appends it to the file.
std::string inserted(const std::string& text, const std::string& file, const std::vector<std::string>& names,
                     const std::string& value) {
  for (size_t depth = names.size() - 1; depth > 0; --depth) {
    const std::string parent = join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(depth)}, ".");
    const auto there = written_value(text, file, parent);
    if (!there || !there->is_map) continue;
    if (auto made = inserted_in(text, *there, depth, names, value)) return *made;
  }
  return text + (text.empty() || text.ends_with('\n') ? "" : "\n") + block(names, 0, value);
}

// The parts of a dotted key. Names of variables and labels may contain dots and are not split.
std::vector<std::string> names_of(const std::string& key) {
  const size_t dot = key.find('.');
  const Key* top = find_key(job_keys(), key.substr(0, dot));
  const bool named = top != nullptr && (top->type == KeyType::env || top->type == KeyType::labels);
  if (named && dot != std::string::npos) return {key.substr(0, dot), key.substr(dot + 1)};
  return split(key, '.');
}

// Checks that `text` is valid and has the value. `written`: `text` is the whole file, so errors can name its lines.
Status check(const std::string& text, const std::string& file, const std::string& key, const std::string& value,
             bool written) {
  const ParsedJob parsed = parse_job_with_config("command: [x]", "job", {{file, text}});
  for (const Diagnostic& each : parsed.diagnostics) {
    // A key twice: the map exists, in a form that is not edited here.
    if (each.code == "E1202") return by_hand(file, key, value);
    const std::string where =
        each.where.file == file && written ? file + ":" + std::to_string(each.where.line) + ": " : "";
    // Messages name the last part of a key; replace it by the key as it was typed.
    const std::string leaf = "`" + key.substr(key.rfind('.') + 1) + "`";
    const bool of_it = each.message.starts_with(leaf);
    const std::string message = of_it ? "`" + key + "`" + each.message.substr(leaf.size()) : each.message;
    return Status(Code::invalid_argument, where + message + (each.label.empty() ? "" : "; " + each.label) +
                                              (each.help.empty() ? "" : "; " + each.help));
  }
  const auto now = written_value(text, file, key);
  const auto meant = written_value("x: " + value, file, "x");
  return now && meant && now->text == meant->text ? Status() : by_hand(file, key, value);
}

}  // namespace

Result<std::string> with_value(const std::string& text, const std::string& file, const std::string& key,
                               const std::string& value) {
  // Check key and value alone first: their errors come before problems of the file.
  const std::vector<std::string> names = names_of(key);
  if (const Status good = check(block(names, 0, value), file, key, value, false); !good.ok()) return good;
  std::string changed;
  if (const auto now = written_value(text, file, key)) {
    auto line = replaced(text, *now, value);
    if (!line) return by_hand(file, key, value);
    changed = std::move(*line);
  } else {
    changed = inserted(text, file, names, value);
  }
  if (const Status good = check(changed, file, key, value, true); !good.ok()) return good;
  return changed;
}

Result<std::string> set_in_config(const std::string& file, const std::string& key, const std::string& value) {
  std::error_code error;
  std::string text;
  if (fs::exists(file, error)) {
    auto read = read_job_file(file);
    if (!read.ok()) return read.status();
    text = std::move(*read);
  }
  const auto changed = with_value(text, file, key, value);
  if (!changed.ok()) return changed.status();
  if (const Status written = replace_file(file, *changed); !written.ok()) return written;
  const auto now = written_value(*changed, file, key);
  return file + ":" + std::to_string(now ? now->where.line : 1);
}

}  // namespace muster
