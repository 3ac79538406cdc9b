// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/patch_reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/secret_members.h"

namespace filecall::worker::kube {
namespace {

using Tokens = std::span<const std::string>;

bool is_taking(std::string_view op) { return op == "copy" || op == "move"; }
bool is_reading(std::string_view op) { return is_taking(op) || op == "test"; }

/// Of a pointer that begins with '/'. "~" before anything but 0 and 1 stays, as servers do it.
std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const std::string_view two = pointer.substr(i, 2);
    if (pointer[i] == '/') {
      out.emplace_back();
    } else if (two == "~1" || two == "~0") {
      out.back() += two == "~1" ? '/' : '~';
      ++i;
    } else {
      out.back() += pointer[i];
    }
  }
  return out;
}

/// nullopt for anything but the plain digits of an item that is there.
std::optional<std::size_t> plain_index(const std::string& token, std::size_t size) {
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto [rest, error] = std::from_chars(token.data(), end, index);
  const bool is_plain = error == std::errc() && rest == end && (token == "0" || token[0] != '0');
  return is_plain && index < size ? std::optional(index) : std::nullopt;
}

/// Whether what the path leads to, or stands below, differs in the two. What is in neither form is
/// no secret: the patch itself has put it there.
bool is_hidden(const Json& unredacted, const Json& redacted, Tokens path, bool is_moved) {
  if (unredacted.is_array()) {
    if (path.empty() || !redacted.is_array() || redacted.size() != unredacted.size()) {
      return unredacted != redacted;
    }
    const auto at = is_moved ? std::nullopt : plain_index(path[0], unredacted.size());
    if (at) return is_hidden(unredacted[*at], redacted[*at], path.subspan(1), is_moved);
    for (std::size_t i = 0; i < unredacted.size(); ++i) {
      if (is_hidden(unredacted[i], redacted[i], path.subspan(1), is_moved)) return true;
    }
    return false;
  }
  if (path.empty() || !unredacted.is_object() || !redacted.is_object()) {
    return unredacted != redacted;
  }
  const auto there = unredacted.find(path[0]);
  if (there == unredacted.end()) return false;
  const auto shown = redacted.find(path[0]);
  return shown == redacted.end() || is_hidden(*there, *shown, path.subspan(1), is_moved);
}

bool is_secret_member(const std::string& name) {
  return std::ranges::any_of(kSecretValues,
                             [&](const SecretValues& place) { return name == place.member; });
}

}  // namespace

bool reads_object(const Json& operations) {
  return operations.is_array() && std::ranges::any_of(operations, [](const Json& operation) {
           return is_reading(text_of(operation, "op"));
         });
}

std::string reading_mistake(const Json& operations, const LiveObject& live) {
  if (!operations.is_array()) return "";
  bool is_moved = false;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::string_view op = text_of(operations[i], "op");
    if (is_reading(op)) {
      const char* const name = is_taking(op) ? "from" : "path";
      const std::string_view pointer = text_of(operations[i], name);
      const std::string place = fmt::format("/params/patch/{}/{}", i, name);
      // Some servers take "x/data/password" for "/data/password".
      if (!pointer.starts_with('/')) {
        return fmt::format("{}: {} of a whole object, or of no path that begins with '/'", place,
                           op);
      }
      const std::vector<std::string> tokens = tokens_of(pointer);
      if ((live.is_secret && is_secret_member(tokens[0])) || !live.unredacted.is_object() ||
          is_hidden(live.unredacted, live.redacted, tokens, is_moved)) {
        return fmt::format(
            "{}: {} would show a value that answers hide, or a part of the object that holds one; "
            "{}",
            place, op,
            op == "test" ? "test the precondition or something that is shown"
                         : "use add or replace with the value itself");
      }
    }
    is_moved = is_moved || (op != "test" && op != "replace");
  }
  return "";
}

}  // namespace filecall::worker::kube
