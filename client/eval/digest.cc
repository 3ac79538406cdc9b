// SPDX-License-Identifier: MIT
#include "client/eval/digest.h"

#include <fmt/core.h>
#include <nettle/sha2.h>

#include <cstdint>

namespace filecall::client {

std::string digest_of(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&context, sizeof(digest), digest);
  std::string out = "sha256:";
  for (const std::uint8_t byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

}  // namespace filecall::client
