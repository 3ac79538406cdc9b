// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/certificate_end.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <limits>
#include <memory>

namespace filecall::worker::kube {

std::optional<WallTime> certificate_end(const std::string& pem) {
  if (pem.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return std::nullopt;
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &X509_free);
  ERR_clear_error();  // Others look there after their own calls.
  std::tm end{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
    return std::nullopt;
  }
  return WallTime(seconds(::timegm(&end)));
}

}  // namespace filecall::worker::kube
