// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ipc/request.h"

namespace filecall {
namespace {

/// Escapes one reference token of a JSON pointer (RFC 6901 section 3).
std::string escape_token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

/// Builds a value from parser events and stops at the first broken rule. Never recurses, so depth
/// costs memory of the frame vector only, and that is bounded by depth_max.
class StrictBuilder {
 public:
  explicit StrictBuilder(int depth_max) : depth_max_(static_cast<std::size_t>(depth_max)) {
    frames_.reserve(8);
  }

  Json take() { return std::move(root_); }
  const std::optional<RequestFault>& fault() const { return fault_; }
  /// Byte (1-based) at which the text stops being JSON; 0 when it is JSON so far.
  std::size_t error_at() const { return error_at_; }
  const std::string& error_text() const { return error_text_; }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    auto& members = frame.value->get_ref<Json::object_t&>();
    const auto [member, is_new] = members.emplace(std::move(name), nullptr);
    frame.slot = &member->second;
    frame.key = &member->first;
    if (is_new) return true;
    fault_ =
        RequestFault{RequestFault::Kind::kInvalid,
                     fmt::format("{}: the key is given twice; keep one", pointer()), pointer()};
    return false;
  }

  template <typename Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& e) {
    error_at_ = position;
    error_text_ = e.what();
    return false;
  }

 private:
  struct Frame {
    Json* value;
    Json* slot = nullptr;              ///< Where the next value of an object goes.
    const std::string* key = nullptr;  ///< Of that slot.
  };

  Json* place(Json&& value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Frame& frame = frames_.back();
    if (frame.slot != nullptr) {
      *frame.slot = std::move(value);
      return frame.slot;
    }
    auto& items = frame.value->get_ref<Json::array_t&>();
    items.push_back(std::move(value));
    return &items.back();
  }

  template <typename Value>
  bool put(Value&& value) {
    place(Json(std::forward<Value>(value)));
    return true;
  }

  bool open(Json&& container) {
    if (frames_.size() >= depth_max_) {
      fault_ =
          RequestFault{RequestFault::Kind::kInvalid,
                       fmt::format("nested deeper than {} levels; flatten it", depth_max_), ""};
      return false;
    }
    frames_.push_back({place(std::move(container))});
    return true;
  }

  bool close() {
    frames_.pop_back();
    return true;
  }

  std::string pointer() const {
    std::string out;
    for (const Frame& frame : frames_) {
      out += '/';
      out += frame.key != nullptr ? escape_token(*frame.key)
                                  : fmt::format("{}", frame.value->size() - 1);
    }
    return out;
  }

  std::size_t depth_max_;
  Json root_;
  std::vector<Frame> frames_;
  std::optional<RequestFault> fault_;
  std::size_t error_at_ = 0;
  std::string error_text_;
};

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

Position position_of(std::string_view bytes, std::size_t offset) {
  Position position;
  for (std::size_t i = 0; i < offset && i < bytes.size(); ++i) {
    if (bytes[i] == '\n') {
      ++position.line;
      position.column = 1;
    } else {
      ++position.column;
    }
  }
  return position;
}

/// The library's sentence without its prefix "[json.exception.parse_error.101] parse error at
/// line 1, column 2: ", which we say ourselves.
std::string reason_of(const std::string& text) {
  const std::size_t column = text.find("column ");
  const std::size_t colon = text.find(": ", column == std::string::npos ? 0 : column);
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

}  // namespace

std::variant<Json, RequestFault> parse_json_strict(std::string_view bytes, int depth_max) {
  using Kind = RequestFault::Kind;
  if (bytes.empty()) return RequestFault{Kind::kSyntax, "line 1, column 1: the file is empty", ""};
  if (bytes.starts_with("\xef\xbb\xbf")) {
    return RequestFault{Kind::kSyntax,
                        "line 1, column 1: starts with a byte order mark; write UTF-8 without it",
                        ""};
  }
  StrictBuilder builder(depth_max);
  if (Json::sax_parse(bytes.begin(), bytes.end(), &builder)) return builder.take();
  if (builder.fault()) return *builder.fault();
  const std::size_t offset = builder.error_at() > 0 ? builder.error_at() - 1 : 0;
  const Position at = position_of(bytes, offset);
  return RequestFault{Kind::kSyntax,
                      fmt::format("line {}, column {}: not JSON: {}", at.line, at.column,
                                  reason_of(builder.error_text())),
                      ""};
}

}  // namespace filecall
