// SPDX-License-Identifier: MIT
#include "ipc/strict_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/result.h"
#include "ipc/json_scanner.h"
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

/// For a message: the text in quotes, up to its first white space or control character.
std::string quoted(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && static_cast<unsigned char>(text[size]) > ' ') ++size;
  if (size == 0) return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(text[0]));
  return fmt::format("'{}'", excerpt(text.substr(0, size), 16));
}

/// The reference token that leads from `parent` to its child.
std::string step_to(const Json& parent, const Json* child) {
  if (const auto* array = parent.get_ptr<const Json::array_t*>()) {
    return fmt::format("/{}", child - array->data());
  }
  for (const auto& [name, member] : *parent.get_ptr<const Json::object_t*>()) {
    if (&member == child) return pointer_token(name);
  }
  return "";
}

/// Builds the tree. Open containers are a fixed array of pointers: a container does not move while
/// one inside it is open.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view bytes, int depth_max, Strictness strictness, std::string_view what,
              LeftOut left_out)
      : scanner_(bytes, strictness == Strictness::kRequest),
        bytes_(bytes),
        what_(what),
        depth_max_(static_cast<std::size_t>(depth_max)),
        strictness_(strictness),
        left_out_(left_out) {}

  /// False: take_fault() says why.
  bool build() {
    slot_ = &root_;
    if (left_out_.parent.empty()) parent_ = &root_;
    do {
      if (!read_value()) return false;
    } while (depth_ > 0 && move_on());
    if (is_faulty_) return false;
    if (scanner_.peek() != JsonScanner::kEnd) return unexpected("the end of the text");
    return true;
  }

  Json take_root() { return std::move(root_); }
  Fault take_fault() { return std::move(fault_); }

 private:
  /// Reads the value that belongs into slot_: a whole scalar, or a container down to its first
  /// scalar or empty container.
  bool read_value() {
    for (;;) {
      switch (const int next = scanner_.peek()) {
        case '{':
          if (!open(Json::value_t::object)) return false;
          if (scanner_.peek() == '}') return close();
          if (!read_key()) return false;
          continue;
        case '[':
          if (!open(Json::value_t::array)) return false;
          if (scanner_.peek() == ']') return close();
          add_element();
          continue;
        case '"':
          if (!scanned(scanner_.read_string(text_))) return false;
          if (is_keeping()) *slot_ = text_;
          return true;
        case 't':
          return scanned(scanner_.read_literal("true")) && (*slot_ = true, true);
        case 'f':
          return scanned(scanner_.read_literal("false")) && (*slot_ = false, true);
        case 'n':
          return scanned(scanner_.read_literal("null"));
        default:
          if (next == '-' || (next >= '0' && next <= '9')) {
            return scanned(scanner_.read_number(*slot_));
          }
          return unexpected("a value");
      }
    }
  }

  /// After a value: closes what ends here and stops before the next value. False: the text's value
  /// is complete, or there is a fault.
  bool move_on() {
    while (depth_ > 0) {
      if (depth_ == kept_depth_) kept_depth_ = kAllKept;
      const bool is_array = open_[depth_ - 1]->is_array();
      const int next = scanner_.peek();
      if (next == (is_array ? ']' : '}')) {
        close();
        continue;
      }
      if (next != ',') return unexpected(is_array ? "',' or ']'" : "',' or '}'");
      scanner_.take();
      if (!is_array) return read_key();
      add_element();
      return true;
    }
    return false;
  }

  bool read_key() {
    if (scanner_.peek() != '"') return unexpected("a key in double quotes");
    if (!scanned(scanner_.read_string(text_))) return false;
    if (is_keeping() && !left_out_.member.empty() && text_ == left_out_.member &&
        open_[depth_ - 1] == parent_) {
      kept_depth_ = depth_;
    }
    if (!is_keeping()) {
      slot_ = &unkept_;
    } else if (!add_member()) {
      return false;
    }
    if (scanner_.peek() != ':') return unexpected("':' after the key");
    scanner_.take();
    return true;
  }

  bool add_member() {
    auto& object = *open_[depth_ - 1]->get_ptr<Json::object_t*>();
    const bool is_parent = !left_out_.parent.empty() && text_ == left_out_.parent;
    const std::size_t size_before = object.size();
    // Most programs write their keys in order: the end is tried first.
    const auto member = object.emplace_hint(object.end(), text_, nullptr);
    slot_ = &member->second;
    if (is_parent) parent_ = slot_;
    if (object.size() != size_before) return true;
    if (strictness_ == Strictness::kRequest) return duplicate_key();
    *slot_ = nullptr;
    if (!is_parent) parent_ = nullptr;  // It may have been inside.
    return true;
  }

  void add_element() {
    slot_ = is_keeping() ? &open_[depth_ - 1]->get_ptr<Json::array_t*>()->emplace_back() : &unkept_;
  }

  bool open(Json::value_t type) {
    if (depth_ == depth_max_) return too_deep();
    scanner_.take();
    if (is_keeping()) {
      *slot_ = Json(type);
      open_[depth_++] = slot_;
    } else {
      Json& stand_in = type == Json::value_t::array ? unkept_array_ : unkept_object_;
      if (stand_in.is_null()) stand_in = Json(type);
      open_[depth_++] = &stand_in;
    }
    return true;
  }
  bool is_keeping() const { return kept_depth_ == kAllKept; }
  bool close() {
    scanner_.take();
    --depth_;
    return true;
  }

  /// Pointer to the innermost open container. Nothing is tracked while parsing: the way is found
  /// again by the addresses of the open containers.
  std::string open_pointer() const {
    std::string pointer;
    for (std::size_t i = 1; i < std::min(depth_, kept_depth_); ++i)
      pointer += step_to(*open_[i - 1], open_[i]);
    return pointer;
  }

  /// Pointer to the value that is being read now.
  std::string slot_pointer() const {
    std::string pointer = open_pointer();
    if (!is_keeping()) return pointer + pointer_token(left_out_.member);
    if (depth_ > 0) pointer += step_to(*open_[depth_ - 1], slot_);
    return pointer;
  }

  bool refuse(Fault fault) {
    is_faulty_ = true;
    fault_ = std::move(fault);
    return false;
  }
  bool syntax(std::string_view reason) {
    return refuse(syntax_fault(what_, bytes_, scanner_.offset(), reason));
  }
  bool unexpected(std::string_view wanted) {
    if (scanner_.peek() == JsonScanner::kEnd) {
      return syntax(fmt::format("the text ends where {} is expected", wanted));
    }
    const std::string_view found = bytes_.substr(scanner_.offset(), 40);
    return syntax(fmt::format("expected {}, found {}", wanted, quoted(found)));
  }
  /// Passes a scanner's answer on, as a fault if it is one.
  bool scanned(bool is_good) { return is_good || scan_fault(); }
  bool scan_fault() {
    if (!scanner_.is_unrepresentable()) return syntax(scanner_.reason());
    std::string pointer = slot_pointer();
    return refuse({Fault::Kind::kInvalid,
                   fmt::format("{}: {}: {}: {}", what_, pointer,
                               position_text(bytes_, scanner_.offset()), scanner_.reason()),
                   pointer});
  }
  bool duplicate_key() {
    std::string pointer = slot_pointer();
    return refuse({Fault::Kind::kInvalid,
                   fmt::format("{}: {}: a duplicate key, it stands there twice; keep one of them",
                               what_, pointer),
                   pointer});
  }
  bool too_deep() {
    std::string pointer = slot_pointer();
    return refuse({Fault::Kind::kInvalid,
                   fmt::format("{}: {}: nested deeper than {} levels; flatten it or put the inner "
                               "part into a string",
                               what_, excerpt(pointer, 200), depth_max_),
                   pointer});
  }

  JsonScanner scanner_;
  std::string_view bytes_;
  std::string_view what_;
  std::size_t depth_max_;
  Strictness strictness_;
  std::size_t depth_ = 0;
  Json* slot_ = nullptr;   ///< Where the value that is read next belongs.
  std::string_view text_;  ///< The last string.
  Json root_;
  LeftOut left_out_;
  const Json* parent_ = nullptr;  ///< The last value that is left_out_.parent.
  /// While what is left out is read: how many containers were open before it.
  static constexpr std::size_t kAllKept = static_cast<std::size_t>(-1);
  std::size_t kept_depth_ = kAllKept;
  Json unkept_, unkept_object_, unkept_array_;  ///< Stand for all values in it.
  bool is_faulty_ = false;
  Fault fault_;
  // Last, and not initialized: only the first depth_ are ever read.
  std::array<Json*, limits::kDepthMax> open_;
};

/// What deserves a better word than "expected a value".
std::optional<Fault> check_beginning(std::string_view bytes, std::string_view what) {
  if (bytes.empty()) return syntax_fault(what, bytes, 0, "the file is empty");
  if (bytes.starts_with("\xef\xbb\xbf")) {
    return syntax_fault(what, bytes, 0,
                        "a byte order mark (EF BB BF) stands before the text; save it as UTF-8 "
                        "without a mark");
  }
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    return syntax_fault(what, bytes, 0, "the text is UTF-16; save it as UTF-8");
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

Result<Json, RequestFault> parse_strict(std::string_view bytes, int depth_max,
                                        Strictness strictness, std::string_view what,
                                        LeftOut left_out) {
  CHECK(depth_max >= 1 && depth_max <= limits::kDepthMax, "depth limits are 1..kDepthMax");
  if (auto fault = check_beginning(bytes, what)) return *std::move(fault);
  TreeBuilder builder(bytes, depth_max, strictness, what, left_out);
  try {
    if (builder.build()) return builder.take_root();
    return builder.take_fault();
  } catch (const std::exception& e) {  // Memory.
    return Fault{Fault::Kind::kInvalid, fmt::format("{}: cannot be read: {}", what, e.what()), ""};
  }
}

Result<Json, RequestFault> parse_json_strict(std::string_view bytes, int depth_max) {
  return parse_strict(bytes, depth_max, Strictness::kRequest, "JSON");
}

}  // namespace filecall
