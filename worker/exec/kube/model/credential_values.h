// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// Appends where a text holds what is a credential by its looks, whatever its name: private keys in
/// PEM, JSON web tokens, keys with a well-known beginning (AWS, GitHub, GitLab, Google, Slack,
/// OpenAI, Stripe, ...), the password of a URL, what follows Bearer, Basic, Authorization: and
/// AccountKey=, and the data of a kubeconfig. For any text, logs included. Pure.
void find_credential_values(std::string_view text, std::vector<TextSpan>& spans);

/// Whether the first two bytes are those of something that find_credential_values() looks for where
/// a word begins; false for most texts.
bool may_begin_credential(std::string_view text);

}  // namespace filecall::worker::kube
