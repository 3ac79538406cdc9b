// SPDX-License-Identifier: MIT
#include "client/eval/grader_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/nearest.h"
#include "client/core/row_selection.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNameShown = 80;

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// A list of texts, or a text with commas between the names. nullopt: neither.
std::optional<std::set<std::string>> names_in(const Json& value) {
  std::set<std::string> names;
  if (value.is_array()) {
    for (const Json& one : value) {
      if (!one.is_string()) return std::nullopt;
      names.insert(one.get<std::string>());
    }
    return names;
  }
  if (!value.is_string()) return std::nullopt;
  std::string_view rest = value.get_ref<const std::string&>();
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    if (const auto plain = without_blanks(name); !plain.empty()) names.emplace(plain);
  }
  return names;
}

/// The first of the names that no grader has; empty: there is none.
std::string unknown_name(const EvalSpec& spec, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    const bool is_known =
        std::any_of(spec.graders.begin(), spec.graders.end(),
                    [&](const auto& grader) { return grader->settings().name == name; });
    if (!is_known) return name;
  }
  return {};
}

std::string unknown_problem(const EvalSpec& spec, const std::string& name) {
  std::vector<std::string_view> known;
  known.reserve(spec.graders.size());
  for (const auto& grader : spec.graders) known.push_back(grader->settings().name);
  return fmt::format("the row names a grader '{}' in '{}', and the specification has none{}",
                     excerpt(name, kNameShown), spec.graders_var, suggest(name, known));
}

}  // namespace

GraderChoice choose_graders(const EvalSpec& spec, const Json& metadata) {
  std::optional<std::set<std::string>> named;
  if (!spec.graders_var.empty()) {
    const Json* value = find_label(metadata, spec.graders_var);
    named = value == nullptr ? std::set<std::string>() : names_in(*value);
    if (!named) {
      return {.problem = fmt::format("'{}' must name graders: a list of texts, or a text with "
                                     "commas",
                                     spec.graders_var)};
    }
    if (named->empty()) {
      return {.problem = fmt::format("the row names no grader in '{}'", spec.graders_var)};
    }
    if (const std::string name = unknown_name(spec, *named); !name.empty()) {
      return {.problem = unknown_problem(spec, name)};
    }
  }
  GraderChoice choice;
  for (std::size_t i = 0; i < spec.graders.size(); ++i) {
    const GraderSettings& settings = spec.graders[i]->settings();
    if (named && !named->contains(settings.name)) continue;
    if (settings.rows.fits(metadata)) choice.graders.push_back(i);
  }
  if (choice.graders.empty()) {
    choice.problem = "no grader is for this row: the conditions (when, unless) of none hold";
  }
  return choice;
}

}  // namespace filecall::client
