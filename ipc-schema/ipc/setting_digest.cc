// SPDX-License-Identifier: MIT
#include "ipc/setting_digest.h"

#include <nettle/hmac.h>

#include <array>
#include <cstdint>

namespace filecall {
namespace {

const std::uint8_t* octets(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string setting_digest(std::string_view salt, std::string_view value) {
  if (value.empty()) return {};
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, salt.size(), octets(salt));
  hmac_sha256_update(&context, value.size(), octets(value));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  hmac_sha256_digest(&context, digest.size(), digest.data());
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string_view trimmed_setting(std::string_view value) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = value.find_first_not_of(kBlank);
  if (first == value.npos) return {};
  return value.substr(first, value.find_last_not_of(kBlank) - first + 1);
}

}  // namespace filecall
