// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/wait_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kSeenBytes = 500;
/// More values at one path are compared by nobody, and a path is looked through no further.
constexpr std::size_t kComparedMax = 1000;

bool equals_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Unexpected<Error> bad_for(std::string_view reason) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("/params/for: {}; write create, delete, condition=Ready, "
                          "condition=Ready=False or jsonpath={{.status.phase}}=Running",
                          reason));
}

Result<WaitCondition> parse_condition(std::string_view text) {
  WaitCondition out;
  out.kind = WaitCondition::Kind::kCondition;
  const std::size_t equals = text.find('=');
  out.type = text.substr(0, equals);
  out.value = equals == std::string_view::npos ? "True" : std::string(text.substr(equals + 1));
  out.has_value = true;
  if (out.type.empty() || out.value.empty()) return bad_for("a condition has a type");
  return out;
}

/// The end of the path: a '=' outside of braces, brackets and quotes.
std::size_t end_of_path(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == '=' && depth == 0) {
      return i;
    }
  }
  return text.size();
}

Result<WaitCondition> parse_json_path(std::string_view text) {
  // kubectl's own documents quote the whole path.
  if (text.starts_with('\'')) {
    const std::size_t end = text.find('\'', 1);
    if (end == std::string_view::npos) return bad_for("a quote does not end");
    std::string plain(text.substr(1, end - 1));
    return parse_json_path(plain.append(text.substr(end + 1)));
  }
  const std::size_t end = end_of_path(text);
  WaitCondition out;
  out.kind = WaitCondition::Kind::kJsonPath;
  auto path = JsonPath::parse(text.substr(0, end));
  if (!path) return bad_for(path.error().message);
  out.path = *std::move(path);
  out.has_value = end < text.size();
  if (out.has_value) out.value = text.substr(end + 1);
  if (out.has_value && out.value.empty()) return bad_for("a value follows the '='");
  return out;
}

WaitView view_of_condition(const WaitCondition& condition, const Json& object) {
  const Json& status = member(object, "status");
  for (const Json& row : member(status, "conditions")) {
    if (!equals_in_any_case(text_member(row, "type"), condition.type)) continue;
    const std::string value = text_member(row, "status");
    std::string seen = fmt::format("{} is {}", text_member(row, "type"), value);
    if (const std::string reason = text_member(row, "reason"); !reason.empty()) {
      seen += fmt::format(" ({})", reason);
    }
    if (const std::string text = text_member(row, "message"); !text.empty()) {
      seen += ": " + excerpt(text, kSeenBytes);
    }
    const auto generation = count_member(member(object, "metadata"), "generation");
    auto observed = count_member(row, "observedGeneration");
    if (!observed) observed = count_member(status, "observedGeneration");
    const bool is_old = generation && observed && *observed < *generation;
    if (is_old) seen += ", of an older generation of the object";
    return {equals_in_any_case(value, condition.value) && !is_old, std::move(seen)};
  }
  return {false, fmt::format("it has no condition {}", condition.type)};
}

/// What the redactor leaves in place of a secret.
bool is_masked(const Json& value) {
  if (value.is_object()) return member(value, "redacted") == Json(true);
  return value.is_string() &&
         value.get_ref<const std::string&>().find("[redacted") != std::string::npos;
}

WaitView view_of_path(const WaitCondition& condition, const Json& object) {
  const std::vector<const Json*> found = condition.path.find(object, kComparedMax);
  if (found.size() >= kComparedMax) {
    return {false,
            fmt::format("{} values or more stand there, which are not compared", kComparedMax)};
  }
  if (found.empty()) return {false, "nothing stands at that path"};
  std::string seen = fmt::format("it is {}", excerpt(printed(*found.front()), kSeenBytes));
  if (found.size() > 1) seen += fmt::format(", and {} more", found.size() - 1);
  if (!condition.has_value) return {true, std::move(seen)};
  const bool is_met = std::ranges::all_of(
      found, [&](const Json* value) { return printed(*value) == condition.value; });
  const bool is_hidden =
      std::ranges::any_of(found, [](const Json* one) { return is_masked(*one); });
  return {is_met, std::move(seen), !is_met && is_hidden};
}

}  // namespace

Result<WaitCondition> parse_wait(std::string_view text) {
  WaitCondition out;
  if (text == "create") return out;
  if (text == "delete") {
    out.kind = WaitCondition::Kind::kDelete;
    return out;
  }
  if (text.starts_with("condition=")) return parse_condition(text.substr(10));
  if (text.starts_with("jsonpath=")) return parse_json_path(text.substr(9));
  return bad_for("it is not understood");
}

WaitView view_of(const WaitCondition& condition, const Json& object) {
  const bool is_there = object.is_object();
  switch (condition.kind) {
    case WaitCondition::Kind::kCreate:
      return {is_there, is_there ? "it is there" : "it is not there"};
    case WaitCondition::Kind::kDelete: {
      if (!is_there) return {true, "it is not there"};
      const Json& metadata = member(object, "metadata");
      std::string seen = text_member(metadata, "deletionTimestamp").empty()
                             ? "it is there, and nobody has deleted it"
                             : "it is being deleted";
      if (const Json& held = member(metadata, "finalizers"); held.is_array() && !held.empty()) {
        seen += fmt::format("; finalizers hold it: {}", excerpt(dump_json(held), kSeenBytes));
      }
      return {false, std::move(seen)};
    }
    case WaitCondition::Kind::kCondition:
      return is_there ? view_of_condition(condition, object) : WaitView{false, "it is not there"};
    case WaitCondition::Kind::kJsonPath:
      break;
  }
  return is_there ? view_of_path(condition, object) : WaitView{false, "it is not there"};
}

}  // namespace filecall::worker::kube
