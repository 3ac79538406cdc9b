// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace filecall::worker::kube {

std::string keyed_digest(const DigestKey& key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  CHECK(HMAC(EVP_sha256(), key.bytes.data(), static_cast<int>(key.bytes.size()), data, bytes.size(),
             digest.data(), &size) != nullptr,
        "SHA-256 is always there and HMAC has no other way to fail");
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size);
  for (unsigned int i = 0; i < size; ++i) {
    out += kHex[digest[i] >> 4];
    out += kHex[digest[i] & 15];
  }
  return out;
}

}  // namespace filecall::worker::kube
