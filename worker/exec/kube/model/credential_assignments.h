// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "worker/exec/kube/model/redaction_rules.h"
#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// kSettings: arguments, commands, the files of a ConfigMap: `name=value`, `name: value`, `name
/// value` at the end of a statement, `('NAME', 'value')`, `<name>value</name>`, `name="name"
/// value="value"`. kSentences: logs, events and errors, where "token: expired" is a sentence:
/// `name=value` without a blank, `"name": "value"`, and `name: value` where the value looks drawn.
enum class Assignments : bool { kSettings, kSentences };
/// Appends the values whose name is a credential's (credential_word()). Pure.
void find_credential_assignments(std::string_view text, Assignments kind,
                                 std::vector<TextSpan>& spans,
                                 const RedactionRules& rules = RedactionRules::none());

}  // namespace filecall::worker::kube
