// SPDX-License-Identifier: MIT
#include "client/eval/judge_markers.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/core/digest.h"

namespace filecall::client {
namespace {

constexpr std::size_t kCodeDigits = 16;

}  // namespace

std::string marker_code(std::string_view seed, std::span<const std::string> texts) {
  constexpr std::string_view kPrefix = "sha256:";
  std::string state(seed);
  // Lengths keep the texts apart: no two lists are one text.
  for (const std::string& text : texts) state += fmt::format("{} {}\n", text.size(), text);
  std::string code;
  const auto is_known = [&code](const std::string& text) {
    return text.find(code) != std::string::npos;
  };
  do {
    state = digest_of(state);
    code = state.substr(kPrefix.size(), kCodeDigits);
  } while (std::any_of(texts.begin(), texts.end(), is_known));
  return code;
}

std::string marked(std::string_view part, std::string_view code, std::string_view text) {
  return fmt::format("<<{0} {1}>>\n{2}\n<<END {0} {1}>>\n\n", part, code, text);
}

}  // namespace filecall::client
