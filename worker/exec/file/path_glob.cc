// SPDX-License-Identifier: MIT
#include "worker/exec/file/path_glob.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/take_until.h"

namespace filecall::worker::file {
namespace {

constexpr std::size_t kPatternBytesMax = 4096;
constexpr std::size_t kAlternativesMax = 256;
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

Unexpected<Error> wrong_glob(std::string_view why) {
  return fail(ErrorCode::kInvalidArgument, std::string(why));
}

/// What stands between a '{' and its '}', divided at its own commas.
struct Braces {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< One behind the '}'.
  std::vector<std::string_view> parts;
};

/// Calls `see` for each character that is neither taken as it is nor in a set.
template <typename See>
void for_each_sign(std::string_view glob, const See& see) {
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '\\') {
      ++i;
    } else if (glob[i] != '[' || !set_of(glob, i)) {
      see(i);
    }
  }
}

/// The first outermost braces; nullopt: there are none.
Result<std::optional<Braces>> find_braces(std::string_view glob) {
  Braces found;
  std::size_t depth = 0, part = 0;
  bool is_closed = false, is_open = true;
  for_each_sign(glob, [&](std::size_t i) {
    if (is_closed) return;
    if (glob[i] == '{') {
      if (depth++ == 0) found.begin = i, part = i + 1;
    } else if (glob[i] == '}') {
      if (depth == 0) is_open = false;
      if (depth == 1) {
        found.parts.push_back(glob.substr(part, i - part));
        found.end = i + 1;
        is_closed = true;
      }
      depth -= depth > 0 ? 1 : 0;
    } else if (glob[i] == ',' && depth == 1) {
      found.parts.push_back(glob.substr(part, i - part));
      part = i + 1;
    }
  });
  if (!is_open) return wrong_glob("a '}' has no '{' before it; for the character write '\\}'");
  if (is_closed && found.parts.size() < 2) {
    return wrong_glob(
        "braces hold alternatives with a comma between, as '*.{cc,h}'; for the "
        "character write '\\{'");
  }
  if (is_closed) return found;
  if (depth > 0) return wrong_glob("a '{' is not closed by '}'; for the character write '\\{'");
  return std::nullopt;
}

Result<void> expand_into(const std::string& glob, std::vector<std::string>& out) {
  TRY_ASSIGN(const auto braces, find_braces(glob));
  if (!braces) {
    if (out.size() == kAlternativesMax) {
      return wrong_glob(fmt::format("has more than {} alternatives in braces", kAlternativesMax));
    }
    out.push_back(glob);
    return {};
  }
  for (const std::string_view part : braces->parts) {
    TRY(expand_into(fmt::format("{}{}{}", std::string_view(glob).substr(0, braces->begin), part,
                                std::string_view(glob).substr(braces->end)),
                    out));
  }
  return {};
}

/// A glob of a request, without braces, as a pattern. Failure: it would fit nothing.
Result<std::string> bound_form(std::string_view glob) {
  if (glob.starts_with('!')) {
    return wrong_glob(
        "a glob says what fits, and '!' takes nothing away; for the character write "
        "'\\!'");
  }
  bool is_bound = glob.starts_with('/');
  if (is_bound) glob.remove_prefix(1);
  while (glob.starts_with("./")) glob.remove_prefix(2), is_bound = true;
  if (glob.ends_with('/')) return wrong_glob("ends with '/', as no path does");
  std::string_view rest = glob;
  do {
    const std::string_view part = take_until(&rest, '/');
    if (part.empty() || part == "." || part == "..") {
      return wrong_glob("is empty, or holds '.', '..' or '//', as no path does");
    }
  } while (!rest.empty());
  return fmt::format("{}{}", is_bound ? "/" : "", glob);
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

Result<std::vector<std::string>> expand_braces(std::string_view glob) {
  if (glob.size() > kPatternBytesMax) {
    return wrong_glob(fmt::format("a pattern has at most {} bytes", kPatternBytesMax));
  }
  std::vector<std::string> out;
  TRY(expand_into(std::string(glob), out));
  return out;
}

Result<PathGlob> PathGlob::compile_glob(std::string_view glob) {
  TRY_ASSIGN(const auto alternatives, expand_braces(glob));
  std::optional<PathGlob> whole;
  for (const std::string& alternative : alternatives) {
    TRY_ASSIGN(const std::string form, bound_form(alternative));
    TRY_ASSIGN(PathGlob one, compile(form));
    if (whole) {
      whole->others_.push_back(std::move(one));
    } else {
      whole = std::move(one);
    }
  }
  return *std::move(whole);
}

bool PathGlob::matches(std::string_view path) const {
  if (std::ranges::any_of(others_, [path](const PathGlob& one) { return one.matches(path); })) {
    return true;
  }
  if (is_name_only_) path = last_name(path);
  if (kind_ == Kind::kName) return path == text_;
  if (kind_ == Kind::kNameEnd) return path.ends_with(text_);
  return RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *regex_);
}

}  // namespace filecall::worker::file
