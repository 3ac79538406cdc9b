// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall {

/// Reads the tokens of a JSON text (RFC 8259), strictly: UTF-8 is checked, lone surrogates and
/// control characters are refused, and so are numbers that could not be kept.
/// The text must outlive the scanner. After a read returned false, offset() and reason() say where
/// and why, and nothing more may be read.
class JsonScanner {
 public:
  static constexpr int kEnd = -1;

  /// `is_exact`: an integer beyond 64 bits is refused, not taken as a float.
  JsonScanner(std::string_view bytes, bool is_exact)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()), is_exact_(is_exact) {}

  /// The next byte that is no white space, not taken; kEnd at the end.
  int peek() {
    while (at_ != end_ && is_space(*at_)) ++at_;
    return at_ == end_ ? kEnd : static_cast<unsigned char>(*at_);
  }
  /// Takes the byte that peek() returned.
  void take() { ++at_; }

  /// Each reads one token that begins at the byte peek() returned.
  /// A string is a part of the text itself when nothing in it is escaped, as nearly always; else it
  /// is kept here until the next one is read.
  bool read_string(std::string_view& out);
  bool read_number(Json& out);
  bool read_literal(std::string_view name);

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  const std::string& reason() const { return reason_; }
  /// The text may be JSON, but holds a number that we cannot keep.
  bool is_unrepresentable() const { return is_unrepresentable_; }

 private:
  static bool is_space(char c) {
    // The first comparison recognises nearly every byte.
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
  }
  std::string_view take_plain_run(bool& is_ascii);
  /// Appends what follows in a string from its first escape on, up to the closing quote.
  bool read_rest(bool& is_ascii);
  bool read_escape(std::string& out);
  bool read_hex4(unsigned& out);
  bool skip_digits();
  bool convert(const char* first, bool is_integer, Json& out);
  bool refuse(const char* where, std::string reason);

  const char* begin_;
  const char* at_;
  const char* end_;
  bool is_exact_;
  std::string buffer_;
  std::string reason_;
  bool is_unrepresentable_ = false;
};

}  // namespace filecall
