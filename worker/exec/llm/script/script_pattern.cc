// SPDX-License-Identifier: MIT
#include "worker/exec/llm/script/script_pattern.h"

#include <re2/re2.h>

#include <utility>
#include <vector>

namespace filecall::worker::llm {
namespace {

constexpr std::int64_t kMemoryBytesMax = 8 * 1024 * 1024;

}  // namespace

ScriptPattern::ScriptPattern(std::shared_ptr<const re2::RE2> compiled)
    : compiled_(std::move(compiled)) {}

Result<ScriptPattern, std::string> ScriptPattern::compile(std::string_view text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_max_mem(kMemoryBytesMax);
  auto compiled = std::make_shared<const RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!compiled->ok()) return Unexpected(compiled->error());
  return ScriptPattern(std::move(compiled));
}

bool ScriptPattern::find_in(std::string_view text, ScriptValues& values) const {
  const int groups = compiled_->NumberOfCapturingGroups();
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups) + 1);
  const re2::StringPiece whole(text.data(), text.size());
  if (!compiled_->Match(whole, 0, whole.size(), RE2::UNANCHORED, found.data(), groups + 1)) {
    return false;
  }
  for (const auto& [name, number] : compiled_->NamedCapturingGroups()) {
    values[name] = std::string(found[static_cast<std::size_t>(number)]);
  }
  return true;
}

}  // namespace filecall::worker::llm
