// SPDX-License-Identifier: MIT
#include "worker/net/secret.h"

#include <cstring>

namespace filecall::worker {
namespace {

constexpr std::size_t kRedactedMin = 8;

}  // namespace

Secret::~Secret() {
  // explicit_bzero, because the compiler may leave out a memset of what is about to be freed.
  if (!text_.empty()) ::explicit_bzero(text_.data(), text_.size());
}

bool Secret::stands_in(std::string_view text) const {
  return text_.size() >= kRedactedMin && text.find(text_) != std::string_view::npos;
}

std::string Secret::redact(std::string text) const {
  if (text_.size() < kRedactedMin) return text;
  for (auto at = text.find(text_); at != std::string::npos; at = text.find(text_, at)) {
    text.replace(at, text_.size(), "***");
    at += 3;
  }
  return text;
}

}  // namespace filecall::worker
