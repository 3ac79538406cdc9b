// SPDX-License-Identifier: MIT
#include "ipc/strict_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "base/check.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"

namespace filecall {
namespace {

using Fault = RequestFault;

/// "line 3, column 7" of a byte offset; columns count bytes, as compilers do.
std::string position_text(std::string_view bytes, std::size_t offset) {
  const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == before.npos ? before.size() : before.size() - newline - 1;
  return fmt::format("line {}, column {}", line, column + 1);
}

Fault syntax_fault(std::string_view what, std::string_view bytes, std::size_t offset,
                   std::string_view reason) {
  return {Fault::Kind::kSyntax,
          fmt::format("{}: {}: {}; write one valid JSON text", what, position_text(bytes, offset),
                      reason),
          ""};
}

/// The library says "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error
/// while parsing value - invalid literal; last read: '...'"; people need the middle, and a token of
/// megabytes must not come back.
std::string reason_of(std::string_view text) {
  constexpr std::string_view kColumn = ", column ";
  if (const auto column = text.find(kColumn); column != text.npos) {
    if (const auto colon = text.find(": ", column); colon != text.npos)
      text.remove_prefix(colon + 2);
  }
  constexpr std::string_view kRead = "; last read: '";
  const auto read = text.find(kRead);
  if (read == text.npos) return excerpt(text, 160);
  std::string_view token = text.substr(read + kRead.size());
  if (token.size() > 40) token.remove_prefix(token.size() - 40);
  while (!token.empty() && (static_cast<unsigned char>(token.front()) & 0xc0) == 0x80) {
    token.remove_prefix(1);
  }
  return excerpt(text.substr(0, read), 160) + ", after '" + excerpt(token);
}

/// Receives the library's events and builds the tree. Open containers are a fixed array of
/// pointers: a container does not move while one inside it is open.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view bytes, int depth_max, DuplicateKeys duplicates,
              std::string_view what)
      : bytes_(bytes), what_(what), depth_max_(depth_max), duplicates_(duplicates) {}

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string&) { return add(Json(value)); }
  bool string(std::string& value) { return add(Json(std::move(value))); }
  bool binary(Json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool end_object() { return --depth_, true; }
  bool end_array() { return --depth_, true; }

  bool key(std::string& name) {
    auto& object = *open_[depth_ - 1]->get_ptr<Json::object_t*>();
    const auto [member, is_new] = object.try_emplace(std::move(name));
    if (!is_new && duplicates_ == DuplicateKeys::kRefuse) return duplicate_key(member->first);
    slot_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) {
    if (e.id == kNumberOverflow) {
      return invalid(fmt::format("{}: {}: a number is too large to be kept; write it as a string",
                                 what_, position_text(bytes_, position)),
                     slot_pointer());
    }
    fault_ = syntax_fault(what_, bytes_, position == 0 ? 0 : position - 1, reason_of(e.what()));
    return false;
  }

  Json take_root() { return std::move(root_); }
  Fault take_fault() { return std::move(fault_); }

 private:
  /// The library's number for a floating-point number that overflows.
  static constexpr int kNumberOverflow = 406;

  Json* add(Json&& value, int) {
    if (depth_ == 0) return &(root_ = std::move(value));
    Json& parent = *open_[depth_ - 1];
    if (auto* array = parent.get_ptr<Json::array_t*>()) {
      return &array->emplace_back(std::move(value));
    }
    return &(*slot_ = std::move(value));
  }
  bool add(Json&& value) { return add(std::move(value), 0), true; }

  bool open(Json::value_t type) {
    if (depth_ == static_cast<std::size_t>(depth_max_)) return too_deep();
    open_[depth_] = add(Json(type), 0);
    ++depth_;
    return true;
  }

  /// Pointer to the innermost open container. Nothing is tracked while parsing: the way is found
  /// again by the addresses of the open containers.
  std::string open_pointer() const {
    std::string pointer;
    for (std::size_t i = 1; i < depth_; ++i) {
      const Json* child = open_[i];
      if (const auto* array = open_[i - 1]->get_ptr<const Json::array_t*>()) {
        pointer += fmt::format("/{}", array->size() - 1);
        continue;
      }
      for (const auto& [name, member] : *open_[i - 1]->get_ptr<const Json::object_t*>()) {
        if (&member == child) pointer += pointer_token(name);
      }
    }
    return pointer;
  }

  /// Pointer to the value that is being read now.
  std::string slot_pointer() const {
    std::string pointer = open_pointer();
    if (depth_ == 0) return pointer;
    const Json& parent = *open_[depth_ - 1];
    if (parent.is_array()) return pointer + fmt::format("/{}", parent.size());
    for (const auto& [name, member] : *parent.get_ptr<const Json::object_t*>()) {
      if (&member == slot_) return pointer + pointer_token(name);
    }
    return pointer;
  }

  bool invalid(std::string message, std::string pointer) {
    fault_ = {Fault::Kind::kInvalid, std::move(message), std::move(pointer)};
    return false;
  }
  bool duplicate_key(std::string_view name) {
    std::string pointer = open_pointer() + pointer_token(name);
    return invalid(
        fmt::format("{}: {}: the key stands there twice; keep one of them", what_, pointer),
        pointer);
  }
  bool too_deep() {
    std::string pointer = slot_pointer();
    return invalid(fmt::format("{}: {}: nested deeper than {} levels; flatten it or put the inner "
                               "part into a string",
                               what_, excerpt(pointer, 200), depth_max_),
                   pointer);
  }

  std::string_view bytes_;
  std::string_view what_;
  int depth_max_;
  DuplicateKeys duplicates_;
  std::size_t depth_ = 0;
  Json* slot_ = nullptr;
  Json root_;
  Fault fault_;
  // Last, and not initialized: only the first depth_ are ever read.
  std::array<Json*, limits::kDepthMax> open_;
};

/// What the library would let pass: a byte order mark (skipped), a NUL byte (taken as the end).
std::optional<Fault> check_bytes(std::string_view bytes, std::string_view what) {
  if (bytes.empty()) return syntax_fault(what, bytes, 0, "the file is empty");
  if (bytes.starts_with("\xef\xbb\xbf")) {
    return syntax_fault(what, bytes, 0,
                        "a byte order mark (EF BB BF) stands before the text; save it as UTF-8 "
                        "without a mark");
  }
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    return syntax_fault(what, bytes, 0, "the text is UTF-16; save it as UTF-8");
  }
  if (const void* nul = std::memchr(bytes.data(), 0, bytes.size())) {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(nul) - bytes.data());
    return syntax_fault(what, bytes, offset, "a NUL byte");
  }
  return std::nullopt;
}

}  // namespace

std::string pointer_token(std::string_view key) {
  std::string token = "/";
  for (const char c : excerpt(key, 120)) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

std::variant<Json, RequestFault> parse_strict(std::string_view bytes, int depth_max,
                                              DuplicateKeys duplicates, std::string_view what) {
  CHECK(depth_max >= 1 && depth_max <= limits::kDepthMax, "depth limits are 1..kDepthMax");
  if (auto fault = check_bytes(bytes, what)) return *std::move(fault);
  TreeBuilder builder(bytes, depth_max, duplicates, what);
  try {
    if (Json::sax_parse(bytes.data(), bytes.data() + bytes.size(), &builder)) {
      return builder.take_root();
    }
    return builder.take_fault();
  } catch (const std::exception& e) {  // Memory, and whatever the library may think of.
    return Fault{Fault::Kind::kInvalid, fmt::format("{}: cannot be read: {}", what, e.what()), ""};
  }
}

std::variant<Json, RequestFault> parse_json_strict(std::string_view bytes, int depth_max) {
  return parse_strict(bytes, depth_max, DuplicateKeys::kRefuse, "JSON");
}

}  // namespace filecall
