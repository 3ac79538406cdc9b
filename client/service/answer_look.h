// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "spool/file_identity.h"
#include "spool/root.h"

namespace filecall::client {

/// What a response file turned out to be.
enum class AnswerKind : std::uint8_t {
  kNone,  ///< There is none, or none that can be read as a response.
  kSuccess,
  kError,
};

struct AnswerLook {
  AnswerKind kind = AnswerKind::kNone;
  spool::FileIdentity identity;  ///< Of kSuccess and kError.
};

/// Whether a request's answer is a success or an error, in as few bytes as tell it for certain: a
/// text that begins as our worker writes it and ends as a whole one needs no parser; any other is
/// parsed. Any thread; blocking.
AnswerLook look_at_answer(const spool::Directories& directories, std::string_view stem);

/// What the beginning and the end of a response's text tell; kNone: nothing, parse the whole.
/// `head` is at least the first 512 bytes of a longer text, `tail` at least its last two. Pure.
AnswerKind kind_by_form(std::string_view head, std::string_view tail, std::string_view stem);

}  // namespace filecall::client
