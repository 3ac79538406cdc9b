// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/net/secret.h"

namespace filecall::worker::llm {

/// All that must not come back from a provider: its key, and the credentials among the headers
/// that were configured for it.
class Secrets {
 public:
  Secrets() = default;
  Secrets(Secret secret) { add(std::move(secret)); }  // A single one is a list of one.

  void add(Secret secret) {
    if (!secret.empty()) secrets_.push_back(std::move(secret));
  }
  /// `text` with "***" in the place of each of them.
  std::string redact(std::string text) const;
  bool stand_in(std::string_view text) const;
  /// How many bytes at the end of `text` may be the beginning of one of them, whose rest would
  /// come with the next piece.
  std::size_t begun_at_end(std::string_view text) const;

 private:
  std::vector<Secret> secrets_;
};

/// Whether a header of that name, or with that value, carries a credential.
bool is_credential_header(std::string_view name, std::string_view value);

}  // namespace filecall::worker::llm
