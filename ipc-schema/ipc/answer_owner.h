// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace filecall {

/// Whose request an answer is wanted to.
enum class AskedBy : std::uint8_t {
  kReader,  ///< One that the reader has asked, or driven.
  kAnyone,  ///< Whatever request is there, to look at it.
};

/// What is known of a response in a group's root when somebody reads it.
struct AnswerOwners {
  std::uint32_t reader = 0;
  bool is_member = false;                     ///< The reader may not drive others' requests.
  std::optional<std::uint32_t> served;        ///< The response's `user`; nullopt: it says none.
  std::optional<std::uint32_t> request = {};  ///< Owner of the request's file; nullopt: gone.
};

/// Whether the response answers that request. An id can be taken again once its request was
/// removed, while the earlier response stays: the id alone does not tell. A response without a user
/// is one, since the worker that wrote it says nothing. Pure.
bool is_answer_to(AskedBy asked, const AnswerOwners& owners);

}  // namespace filecall
