// SPDX-License-Identifier: MIT
#include "ipc/schema_pattern.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"
#include "ipc/schema_limits.h"

namespace filecall {
namespace {

bool is_hex(std::string_view text) {
  return text.size() == 4 && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

/// The same expression in RE2's spelling: \uXXXX and (?<name>...) are written otherwise there.
std::string in_re2_syntax(const std::string& expression) {
  std::string out;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const std::string_view rest = std::string_view(expression).substr(i);
    if (rest[0] == '\\' && rest.size() > 1) {
      if (rest[1] == 'u' && is_hex(rest.substr(2, 4))) {
        out += fmt::format("\\x{{{}}}", rest.substr(2, 4));
        i += 5;
      } else {
        out += rest.substr(0, 2);
        ++i;
      }
    } else if (rest.starts_with("(?<") && rest.size() > 3 && rest[3] != '=' && rest[3] != '!') {
      out += "(?P<";
      i += 2;
    } else {
      out += rest[0];
    }
  }
  return out;
}

}  // namespace

SchemaPattern::SchemaPattern(std::string text, std::unique_ptr<const re2::RE2> compiled)
    : text_(std::move(text)), compiled_(std::move(compiled)) {}
SchemaPattern::SchemaPattern(SchemaPattern&&) noexcept = default;
SchemaPattern::~SchemaPattern() = default;

Result<SchemaPattern> SchemaPattern::compile(const std::string& expression,
                                             std::size_t memory_bytes_max) {
  if (expression.size() > limits::kSchemaPatternBytesMax) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a pattern of {} bytes; at most {} are taken", expression.size(),
                            limits::kSchemaPatternBytesMax));
  }
  re2::RE2::Options settings;
  settings.set_log_errors(false);
  settings.set_never_capture(true);
  settings.set_max_mem(static_cast<std::int64_t>(memory_bytes_max));
  auto compiled = std::make_unique<const re2::RE2>(in_re2_syntax(expression), settings);
  if (!compiled->ok()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("pattern {} is nothing that RE2 matches: {}", excerpt(expression),
                            excerpt(compiled->error(), 200)));
  }
  return SchemaPattern(expression, std::move(compiled));
}

bool SchemaPattern::is_found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

std::uint64_t SchemaPattern::steps_for(std::size_t text_bytes) const {
  // RE2 takes a few nanoseconds a byte while its automaton fits into its memory, and beyond that
  // some for each instruction of the program.
  const auto instructions = static_cast<std::uint64_t>(std::max(compiled_->ProgramSize(), 0));
  return 1 + text_bytes * (8 + instructions) / 64;
}

}  // namespace filecall
