// SPDX-License-Identifier: MIT
#include "worker/exec/llm/secrets.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace filecall::worker::llm {
namespace {

/// As Secret has it: shorter ones would be found everywhere.
constexpr std::size_t kRedactedMin = 8;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string Secrets::redact(std::string text) const {
  for (const Secret& secret : secrets_) text = secret.redact(std::move(text));
  return text;
}

bool Secrets::stand_in(std::string_view text) const {
  return std::any_of(secrets_.begin(), secrets_.end(),
                     [&](const Secret& secret) { return secret.stands_in(text); });
}

std::size_t Secrets::begun_at_end(std::string_view text) const {
  std::size_t most = 0;
  for (const Secret& secret : secrets_) {
    const std::string_view whole = secret.reveal();
    if (whole.size() < kRedactedMin) continue;
    for (std::size_t size = std::min(whole.size() - 1, text.size()); size > most; --size) {
      if (text.ends_with(whole.substr(0, size))) most = size;
    }
  }
  return most;
}

bool is_credential_header(std::string_view name, std::string_view value) {
  constexpr std::string_view kMarks[] = {"auth",   "key",    "token", "secret",   "password",
                                         "cookie", "passwd", "cred",  "signature"};
  const std::string small = lower(name);
  const bool is_named =
      std::any_of(std::begin(kMarks), std::end(kMarks),
                  [&](std::string_view mark) { return small.find(mark) != std::string::npos; });
  return is_named || lower(value).starts_with("bearer ") || lower(value).starts_with("basic ");
}

}  // namespace filecall::worker::llm
