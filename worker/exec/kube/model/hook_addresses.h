// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// Addresses that let everybody write who knows them (Slack, Discord, Teams, Telegram, Google
/// Chat): what follows the maker's part is the secret. Pure.
void find_hook_addresses(std::string_view text, std::vector<TextSpan>& spans);

}  // namespace filecall::worker::kube
