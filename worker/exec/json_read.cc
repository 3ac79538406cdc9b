// SPDX-License-Identifier: MIT
#include "worker/exec/json_read.h"

#include <utility>

#include "ipc/limits.h"

namespace filecall::worker {
namespace {

/// What every reader of JSON still holds exactly.
constexpr std::int64_t kCountMax = std::int64_t{1} << 53;

}  // namespace

std::optional<Json> parse_foreign(std::string_view text, LeftOut left_out) {
  auto parsed = parse_strict(text, limits::kDepth, Strictness::kForeign, "answer", left_out);
  if (parsed) return *std::move(parsed);
  return std::nullopt;
}

const Json& member(const Json& object, std::string_view name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string text_member(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

std::string code_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  return value.is_number_integer() ? std::to_string(value.get<std::int64_t>())
                                   : text_member(object, name);
}

std::optional<std::int64_t> count_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  const auto count = value.get<std::int64_t>();
  return count < 0 || count > kCountMax ? std::nullopt : std::optional(count);
}

}  // namespace filecall::worker
