// SPDX-License-Identifier: MIT
#include "client/core/digest.h"

#include <fmt/core.h>

#include <cstdint>

namespace filecall::client {

Digest::Digest() : context_{} { sha256_init(&context_); }

void Digest::add(std::string_view bytes) {
  sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Digest::finish() {
  std::uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&context_, sizeof(digest), digest);  // And begins again.
  std::string out = "sha256:";
  for (const std::uint8_t byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

std::string digest_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.finish();
}

}  // namespace filecall::client
