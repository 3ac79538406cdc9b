// SPDX-License-Identifier: MIT
#pragma once

#include <nettle/sha2.h>

#include <string>
#include <string_view>

namespace filecall::client {

/// SHA-256 of bytes that come piece by piece. Pure; one thread at a time.
class Digest {
 public:
  Digest();
  void add(std::string_view bytes);
  /// "sha256:" and 64 lower-case hex digits; starts again.
  std::string finish();

 private:
  sha256_ctx context_;
};

/// "sha256:" and 64 lower-case hex digits (FIPS 180-4): what `sha256sum` says of the same bytes.
/// For what other programs and later years must be able to check. Pure; any thread.
std::string digest_of(std::string_view bytes);

}  // namespace filecall::client
