// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/hook_addresses.h"

#include <array>
#include <cstddef>

#include "worker/exec/kube/model/text_runs.h"
#include "worker/exec/kube/model/word_begins.h"

namespace filecall::worker::kube {
namespace {

constexpr std::array kHookAddresses = std::to_array<std::string_view>(
    {"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/",
     "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "webhook.office.com/webhookb2/",
     "api.telegram.org/bot", "chat.googleapis.com/v1/spaces/"});

}  // namespace

void find_hook_addresses(std::string_view text, std::vector<TextSpan>& spans) {
  TextRuns address_chars(text, [](char c) {
    return is_token_char(c) || std::string_view("+/=.~@:?&%").find(c) != std::string_view::npos;
  });
  for (std::size_t at = 0; (at = text.find("://", at)) != text.npos; at += 3) {
    for (const std::string_view address : kHookAddresses) {
      const std::size_t found = text.substr(at, 200).find(address);
      if (found == text.npos) continue;
      const std::size_t begin = at + found + address.size();
      const std::size_t end = address_chars.end(begin);
      if (end > begin) spans.push_back({begin, end});
    }
  }
}

}  // namespace filecall::worker::kube
