// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/agent/plan/lenient_json.h"
#include "ipc/json.h"

namespace filecall::client {

/// An object that stands in an answer by itself, not in another one.
struct AnswerObject {
  Json value;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::string> repairs;
};

/// What begins like an object and is none.
struct BrokenObject {
  std::size_t begin = 0;
  JsonFault fault;
};

/// A fenced block that is no JSON: the content of a file, say. Views into the answer.
struct AnswerBlock {
  std::string_view info;  ///< What stands behind the opening fence.
  std::string_view text;  ///< With its last newline.
  std::size_t begin = 0;
  bool is_closed = true;
};

/// What an answer consists of.
struct AnswerParts {
  std::vector<AnswerObject> objects;
  std::vector<BrokenObject> broken;
  std::vector<AnswerBlock> blocks;
  /// Offset of a fence that belongs to none of them, behind the first block; npos: there is none.
  /// A block may have ended at a fence that is its own content.
  std::size_t stray_fence = std::string_view::npos;
  bool has_prose = false;
  bool is_from_block = false;  ///< Objects stood only in blocks that do not say that they are JSON.
};

/// Finds all objects at the top of an answer, with their places: braces in strings, prose, fences
/// and code are none. Of what is broken nothing inside counts as an object. A leading <think> part
/// is left out. Linear in time. `text` is UTF-8. Pure.
AnswerParts split_answer(std::string_view text);

}  // namespace filecall::client
