// SPDX-License-Identifier: MIT
#include "worker/exec/file/path_glob.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <optional>

namespace filecall::worker::file {
namespace {

constexpr std::size_t kPatternBytesMax = 4096;
constexpr std::string_view kWild = "*?[\\";

/// A set from its '[' on: what it becomes, and where it ends. nullopt: it does not end.
std::optional<std::string> set_of(std::string_view pattern, std::size_t& at) {
  std::size_t i = at + 1;
  std::string out = "[";
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) {
    out += "^/";  // No set stands for a slash.
    ++i;
  }
  for (bool is_first = true; i < pattern.size(); ++i, is_first = false) {
    if (pattern[i] == ']' && !is_first) {
      at = i;
      return out + "]";
    }
    const std::string_view rest = pattern.substr(i);
    const std::size_t class_end = rest.starts_with("[:") ? rest.find(":]") : rest.npos;
    if (class_end != rest.npos) {  // [:alpha:]
      out += rest.substr(0, class_end + 2);
      i += class_end + 1;
    } else if (pattern[i] == '-') {
      out += '-';
    } else {
      if (pattern[i] == '\\' && ++i >= pattern.size()) return std::nullopt;
      out += RE2::QuoteMeta(re2::StringPiece(&pattern[i], 1));
    }
  }
  return std::nullopt;
}

/// What the "**" at `at` becomes; moves `at` to its last character.
std::string any_directories(std::string_view pattern, std::size_t& at) {
  const bool begins = at == 0 || pattern[at - 1] == '/';
  const std::string_view rest = pattern.substr(at + 2);
  ++at;
  if (begins && rest.starts_with('/')) {
    ++at;
    return "(?:[^/]*/)*";
  }
  // All that lies in it; anywhere else two stars are as one.
  return begins && rest.empty() ? ".+" : "[^/]*";
}

Result<std::string> expression_of(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i).starts_with("**")) {
      out += any_directories(pattern, i);
    } else if (pattern[i] == '*') {
      out += "[^/]*";
    } else if (pattern[i] == '?') {
      out += "[^/]";
    } else if (pattern[i] == '[') {
      const auto set = set_of(pattern, i);
      if (!set) return fail(ErrorCode::kInvalidArgument, "a set '[' is not closed by ']'");
      out += *set;
    } else {
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      out += RE2::QuoteMeta(re2::StringPiece(&pattern[i], 1));
    }
  }
  return out;
}

}  // namespace

std::string_view last_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

Result<PathGlob> PathGlob::compile(std::string_view pattern) {
  if (pattern.size() > kPatternBytesMax) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a pattern has at most {} bytes", kPatternBytesMax));
  }
  PathGlob glob;
  glob.is_name_only_ = pattern.find('/') == std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (glob.is_name_only_ && pattern.find_first_of(kWild) == std::string_view::npos) {
    glob.kind_ = Kind::kName;
    glob.text_ = pattern;
    return glob;
  }
  if (glob.is_name_only_ && pattern.starts_with('*') &&
      pattern.find_first_of(kWild, 1) == std::string_view::npos) {
    glob.kind_ = Kind::kNameEnd;
    glob.text_ = pattern.substr(1);
    return glob;
  }
  TRY_ASSIGN(const std::string expression, expression_of(pattern));
  RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);  // Names are bytes.
  glob.regex_ = std::make_shared<const RE2>(expression, options);
  if (!glob.regex_->ok()) {
    return fail(ErrorCode::kInvalidArgument, "the pattern is none: " + glob.regex_->error());
  }
  return glob;
}

bool PathGlob::matches(std::string_view path) const {
  if (is_name_only_) path = last_name(path);
  if (kind_ == Kind::kName) return path == text_;
  if (kind_ == Kind::kNameEnd) return path.ends_with(text_);
  return RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *regex_);
}

}  // namespace filecall::worker::file
