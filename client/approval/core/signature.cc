// SPDX-License-Identifier: MIT
#include "client/approval/core/signature.h"

#include <fmt/core.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>

namespace filecall::client {

std::string signature_of(const Json& object, std::string_view key) {
  Json bare = object;
  if (bare.is_object()) bare.erase("signature");
  const std::string text = dump_json(bare);
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), reinterpret_cast<const std::uint8_t*>(key.data()));
  hmac_sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::uint8_t digest[SHA256_DIGEST_SIZE];
  hmac_sha256_digest(&context, sizeof(digest), digest);
  std::string out = "hmac-sha256:";
  for (const std::uint8_t byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

bool is_signed(const Json& object, std::string_view key) {
  if (!object.is_object() || key.empty()) return false;
  const auto found = object.find("signature");
  if (found == object.end() || !found->is_string()) return false;
  const std::string wanted = signature_of(object, key);
  const std::string& given = found->get_ref<const std::string&>();
  return given.size() == wanted.size() &&
         memeql_sec(given.data(), wanted.data(), wanted.size()) != 0;
}

}  // namespace filecall::client
