// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace filecall::worker::kube {

/// Members whose place alone says what they hold.

/// A member of a Secret that holds its values, in base64 or as they are.
struct SecretValues {
  const char* member;
  bool is_encoded;
};
inline constexpr SecretValues kSecretValues[] = {{"data", true}, {"stringData", false}};

/// Labels and what selects by them: their values say what fits, whatever they are called.
inline bool is_label_member(std::string_view name) {
  constexpr std::array kNames =
      std::to_array<std::string_view>({"labels", "matchLabels", "selector", "nodeSelector"});
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace filecall::worker::kube
