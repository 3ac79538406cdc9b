// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall::worker::kube {

/// Which rules may find something in a text. Where one is not likely it finds nothing: the answer
/// is the same without this first look, which reads each byte once. Pure.
struct LikelyRules {
  bool values = true;       ///< find_credential_values()
  bool assignments = true;  ///< find_credential_assignments()
  bool lines = true;        ///< find_credential_lines()
  bool sentences = true;    ///< find_spoken_credentials()
  bool flags = true;        ///< find_credential_flags()
};

/// `is_settings`: how assignments are looked for.
LikelyRules likely_rules(std::string_view text, bool is_settings);

}  // namespace filecall::worker::kube
