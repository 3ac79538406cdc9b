// SPDX-License-Identifier: MIT
#include "client/promptfoo/nunjucks.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/core/prompt_template.h"
#include "client/promptfoo/import_files.h"
#include "client/promptfoo/outer_blanks.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::string_view kEscapedBraces = "\\{{";

bool is_identifier(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";
  constexpr std::string_view kDigits = "0123456789";
  return !text.empty() && kLetters.find(text.front()) != std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return kLetters.find(c) != std::string_view::npos ||
                  kDigits.find(c) != std::string_view::npos;
         });
}

std::string with_escaped_braces(std::string_view literal) {
  std::string out;
  for (auto at = literal.find("{{"); at != std::string_view::npos; at = literal.find("{{")) {
    out.append(literal.substr(0, at)).append(kEscapedBraces);
    literal.remove_prefix(at + 2);
  }
  return out.append(literal);
}

class NunjucksReader {
 public:
  explicit NunjucksReader(std::string_view text) : rest_(text) {}

  Result<TakenTemplate> read() {
    for (;;) {
      const std::size_t open = next_mark();
      append_literal(rest_.substr(0, open));
      if (open == std::string_view::npos) return std::move(taken_);
      const char kind = rest_[open + 1];
      rest_.remove_prefix(open);
      const auto done = kind == '{' ? place() : kind == '#' ? comment() : block();
      if (!done) return Unexpected(done.error());
    }
  }

 private:
  std::size_t next_mark() const {
    std::size_t at = rest_.find('{');
    while (at != std::string_view::npos && at + 1 < rest_.size()) {
      if (std::string_view("{%#").find(rest_[at + 1]) != std::string_view::npos) return at;
      at = rest_.find('{', at + 1);
    }
    return std::string_view::npos;
  }

  void append_literal(std::string_view literal) { taken_.text.append(literal); }

  Result<std::string_view> until(std::string_view close) {
    const std::size_t at = rest_.find(close, 2);
    if (at == std::string_view::npos) {
      return refused(fmt::format("'{}' is not closed", excerpt(rest_, 20)));
    }
    const std::string_view inner = rest_.substr(2, at - 2);
    rest_.remove_prefix(at + close.size());
    return inner;
  }

  Result<void> comment() {
    TRY(until("#}"));
    return {};
  }

  Result<void> place() {
    if (taken_.text.ends_with('\\')) {
      return refused("a backslash before braces means something else here");
    }
    TRY_ASSIGN(const std::string_view inner, until("}}"));
    std::string_view name = without_outer_blanks(inner);
    std::string_view filter;
    if (const auto bar = name.find('|'); bar != std::string_view::npos) {
      filter = without_outer_blanks(name.substr(bar + 1));
      name = without_outer_blanks(name.substr(0, bar));
    }
    if (name.starts_with("env.")) {
      return refused(fmt::format("'{{{{{}}}}}' is of the environment; give --var, or a column",
                                 excerpt(without_outer_blanks(inner), 60)));
    }
    if (!is_identifier(name)) {
      return refused(fmt::format("'{{{{{}}}}}' is no plain variable; make a column of it",
                                 excerpt(without_outer_blanks(inner), 60)));
    }
    if (!filter.empty() && filter != "dump" && filter != "safe") {
      return refused(fmt::format("the filter '{}' is not there; make a column of its result",
                                 excerpt(filter, 60)));
    }
    taken_.names.emplace(name);
    taken_.text += fmt::format("{{{{{}{}}}}}", name, filter == "dump" ? "|json" : "");
    return {};
  }

  Result<void> block() {
    TRY_ASSIGN(const std::string_view inner, until("%}"));
    const std::string_view tag = without_outer_blanks(inner);
    if (tag != "raw") {
      return refused(
          fmt::format("'{{% {} %}}': blocks are not evaluated; make a prompt or a "
                      "column for each case",
                      excerpt(tag, 60)));
    }
    for (const std::string_view close : {"{% endraw %}", "{%endraw%}"}) {
      const std::size_t at = rest_.find(close);
      if (at == std::string_view::npos) continue;
      append_literal(with_escaped_braces(rest_.substr(0, at)));
      rest_.remove_prefix(at + close.size());
      return {};
    }
    return refused("'{% raw %}' is not closed");
  }

  std::string_view rest_;
  TakenTemplate taken_;
};

}  // namespace

Result<TakenTemplate> take_template(std::string_view text) { return NunjucksReader(text).read(); }

Result<std::string> render_foreign(std::string_view text, const Json& variables) {
  TRY_ASSIGN(const TakenTemplate taken, take_template(text));
  Json all = variables;
  for (const std::string& name : taken.names) {
    if (!all.contains(name) || all[name].is_null()) all[name] = "";
  }
  auto filled = fill_text(taken.text, all);
  if (!filled) return refused(filled.error().message);
  return *std::move(filled);
}

}  // namespace filecall::client
