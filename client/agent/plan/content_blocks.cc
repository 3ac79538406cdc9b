// SPDX-License-Identifier: MIT
#include "client/agent/plan/content_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::string_view kSuffix = "_from";
constexpr std::string_view kBlockNames[] = {"content", "new_content", "patch", "manifestYaml",
                                            "text",    "stdin",       "old",   "new"};

bool has_word(std::string_view info, std::string_view word) {
  for (std::size_t begin = 0; begin < info.size();) {
    const std::size_t end = std::min(info.find_first_of(" \t", begin), info.size());
    if (info.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

Result<std::string, ShapeFault> block_text(const AnswerParts& parts, const std::string& name) {
  const AnswerBlock* found = nullptr;
  for (const AnswerBlock& block : parts.blocks) {
    if (block.info != name && !has_word(block.info, name)) continue;
    if (found != nullptr) {
      return Unexpected(ShapeFault{
          "unclear_block", fmt::format("two fenced blocks have the name '{}'", excerpt(name, 60))});
    }
    found = &block;
  }
  if (found == nullptr) {
    return Unexpected(ShapeFault{
        "no_block", fmt::format("there is no fenced block '{0}'; write it behind the object, as "
                                "```{0} and the text and ```",
                                excerpt(name, 60))});
  }
  if (!found->is_closed) {
    return Unexpected(ShapeFault{
        "truncated", fmt::format("the answer ends in the fenced block '{}'", excerpt(name, 60))});
  }
  // What follows must not be the rest of it.
  if (parts.stray_fence != std::string_view::npos) {
    return Unexpected(ShapeFault{
        "unclear_block",
        fmt::format("the fenced block '{}' may end too early, at a fence of its own text; open and "
                    "close it with more backquotes than any line of it begins with",
                    excerpt(name, 60))});
  }
  return std::string(found->text);
}

}  // namespace

Result<bool, ShapeFault> take_blocks(Json& args, const AnswerParts& parts) {
  bool has_taken = false;
  if (args.is_array()) {
    for (Json& one : args) {
      TRY_ASSIGN(const bool taken, take_blocks(one, parts));
      has_taken = has_taken || taken;
    }
  }
  if (!args.is_object()) return has_taken;
  for (const std::string_view name : kBlockNames) {
    const std::string key(name);
    const auto from = args.find(key + std::string(kSuffix));
    if (from == args.end() || !from->is_string()) continue;
    if (args.contains(key)) {
      return Unexpected(
          ShapeFault{"wrong_shape", fmt::format("both '{0}' and '{0}_from'; write one", key)});
    }
    TRY_ASSIGN(std::string text, block_text(parts, from->get<std::string>()));
    args.erase(from);
    args[key] = std::move(text);
    has_taken = true;
  }
  for (Json& inner : args) {
    if (!inner.is_structured()) continue;
    TRY_ASSIGN(const bool taken, take_blocks(inner, parts));
    has_taken = has_taken || taken;
  }
  return has_taken;
}

}  // namespace filecall::client
