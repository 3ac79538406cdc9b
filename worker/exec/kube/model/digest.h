// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace filecall::worker::kube {

/// What digests are keyed with: 32 random bytes that the edge draws once a process and shows
/// nobody. A plain digest of a short secret can be guessed by trying all of them; with a key only
/// this process can try. The price: digests of two processes cannot be compared. (Digests of
/// previews have a key of their own, preview_key.h.)
struct DigestKey {
  std::array<unsigned char, 32> bytes{};
};

/// HMAC-SHA256 in lower-case hex, 64 digits. Pure; any thread.
std::string keyed_digest(const DigestKey& key, std::string_view bytes);

}  // namespace filecall::worker::kube
