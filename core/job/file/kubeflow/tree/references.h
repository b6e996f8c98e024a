// SPDX-License-Identifier: Apache-2.0
// References in commands, `$(NAME)`, to variables whose values are not in the manifest: each rank has its own. Until a
// shell of the rank fills them in, words hold them in a form that no manifest can contain. Pure. Private to
// core/job/file/kubeflow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/document/yaml_document.h"

namespace muster {

// Begins and ends a reference in a word.
constexpr char kReferenceMark = '\x1f';

// Whether a shell can name the variable.
bool is_shell_variable(std::string_view name);

std::string reference_to(std::string_view name);

// The names in the text, in order.
std::vector<std::string> references_in(std::string_view text);

// The text with its references as the manifest writes them, for messages.
std::string as_written(std::string_view text);

// References to `name` become references to `other`.
void rename_references(std::vector<YamlNode>& words, std::string_view name, std::string_view other);

// Each occurrence of the value in the word, outside references, becomes a reference to the variable. `value` is not empty.
void refer_to_value(YamlNode& word, const std::string& name, const std::string& value);

// A command that starts the same program with the values filled in. A variable that is not set stays `$(NAME)`, as in
// Kubernetes. Words without references are returned as they are.
std::vector<YamlNode> fill_references(std::vector<YamlNode> words);

}  // namespace muster
