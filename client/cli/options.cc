// SPDX-License-Identifier: MIT
#include "client/cli/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cxxopts.hpp>

#include "base/duration.h"
#include "base/nearest.h"

namespace filecall::client {
namespace {

Unexpected<Error> usage_error(const CommandSpec& command, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {}; see 'filecall {} --help'", command.name, what, command.name));
}

cxxopts::Options describe(const CommandSpec& command) {
  cxxopts::Options options("filecall", "");
  for (const std::string_view name : split_words(command.options)) {
    const OptionSpec* spec = find_option(name, command.name);
    CHECK(spec != nullptr, "a command names only options of the table");
    const auto value = spec->value.empty() ? std::shared_ptr<cxxopts::Value>(cxxopts::value<bool>())
                                           : cxxopts::value<std::string>();
    options.add_options()(std::string(name), "", value);
  }
  options.add_options()("h,help", "", cxxopts::value<bool>());
  return options;
}

/// The unknown option that parsing failed for, found again to name a neighbour.
std::string unknown_option_hint(const CommandSpec& command, const std::vector<std::string>& words) {
  std::vector<std::string_view> known = split_words(command.options);
  known.push_back("help");
  for (const std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::string_view name = std::string_view(word).substr(2, word.find('=') - 2);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view near = nearest_name(name, known);
    if (find_option(name, {}) != nullptr) {
      return fmt::format("--{} does not apply to this command", name);
    }
    return fmt::format("unknown option --{}{}", name,
                       near.empty() ? "" : fmt::format(", did you mean --{}?", near));
  }
  return {};
}

/// The first option whose values contradict each other; empty: none does. The last one would win
/// in silence.
std::string contradiction(const CommandSpec& command,
                          const std::map<std::string, std::vector<std::string>, std::less<>>& all) {
  for (const auto& [name, values] : all) {
    const OptionSpec* spec = find_option(name, command.name);
    if (spec == nullptr || spec->is_repeatable) continue;
    const auto other =
        std::find_if(values.begin(), values.end(),
                     [first = values.front()](const std::string& value) { return value != first; });
    if (other == values.end()) continue;
    return fmt::format("--{} has two values, '{}' and '{}'; give one of them", name, values.front(),
                       *other);
  }
  return {};
}

/// The library's text in our words: without its quotes, in lower case.
std::string library_text(const std::exception& error) {
  std::string text = error.what();
  for (const char* quote : {"\xe2\x80\x98", "\xe2\x80\x99"}) {
    for (auto at = text.find(quote); at != std::string::npos; at = text.find(quote)) {
      text.replace(at, 3, "'");
    }
  }
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

/// The arguments without those that may be left out, e.g. "SPEC" of "[label] SPEC [A B]".
std::string needed_arguments(const CommandSpec& command) {
  std::string needed;
  int depth = 0;
  for (const char c : command.arguments) {
    depth += c == '[' ? 1 : 0;
    const bool is_gap = c == ' ' && (needed.empty() || needed.back() == ' ');
    if (depth == 0 && !is_gap) needed += c;
    depth -= c == ']' ? 1 : 0;
  }
  while (needed.ends_with(' ')) needed.pop_back();
  return needed.empty() ? std::string(command.arguments) : needed;
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Result<Arguments> Arguments::parse(const CommandSpec& command,
                                   const std::vector<std::string>& words) {
  Arguments arguments;
  arguments.command_ = &command;
  std::vector<const char*> argv = {"filecall"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    const auto parsed = describe(command).parse(static_cast<int>(argv.size()), argv.data());
    for (const auto& entry : parsed.arguments()) {
      arguments.values_[entry.key()].push_back(entry.value());
    }
    arguments.words_ = parsed.unmatched();
  } catch (const std::exception& error) {
    const std::string hint = unknown_option_hint(command, words);
    return usage_error(command, hint.empty() ? library_text(error) : hint);
  }
  if (arguments.has("help")) return arguments;
  if (const std::string what = contradiction(command, arguments.values_); !what.empty()) {
    return usage_error(command, what);
  }
  const auto count = static_cast<int>(arguments.words_.size());
  if (count < command.arguments_min) {
    return usage_error(command, fmt::format("{} is missing", needed_arguments(command)));
  }
  if (command.arguments_max >= 0 && count > command.arguments_max) {
    return usage_error(
        command, fmt::format("'{}' is one argument too many",
                             arguments.words_[static_cast<std::size_t>(command.arguments_max)]));
  }
  for (const auto& [name, values] : arguments.values_) {
    const std::string& value = values.back();
    const auto choices = split_words(find_option(name, command.name)->choices);
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
      continue;
    }
    return usage_error(command, fmt::format("--{}: '{}' is none of: {}", name, value,
                                            find_option(name, command.name)->choices));
  }
  return arguments;
}

std::string Arguments::text(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::string() : found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<Duration> Arguments::duration(std::string_view option, Duration fallback) const {
  if (!has(option)) return fallback;
  const auto value = parse_duration(text(option));
  if (!value) return usage_error(*command_, fmt::format("--{}: {}", option, value.error().message));
  return value;
}

Result<std::int64_t> Arguments::integer(std::string_view option, std::int64_t fallback,
                                        std::int64_t min, std::int64_t max) const {
  if (!has(option)) return fallback;
  const std::string value = text(option);
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (status != std::errc() || end != value.data() + value.size() || number < min || number > max) {
    return usage_error(*command_, fmt::format("--{}: '{}' is not a whole number from {} to {}",
                                              option, value, min, max));
  }
  return number;
}

Result<std::optional<double>> Arguments::share(std::string_view option) const {
  if (!has(option)) return std::optional<double>();
  const std::string value = text(option);
  const bool is_percent = value.ends_with('%');
  double number = 0;
  const char* end = value.data() + value.size() - (is_percent ? 1 : 0);
  const auto [stopped, status] = std::from_chars(value.data(), end, number);
  if (is_percent) number /= 100;
  if (status != std::errc() || stopped != end || !(number >= 0 && number <= 1)) {
    return usage_error(*command_, fmt::format("--{}: '{}' is not a share from 0 to 1, e.g. 0.05 "
                                              "or 5%",
                                              option, value));
  }
  return std::optional<double>(number);
}

Result<double> Arguments::number(std::string_view option, double fallback) const {
  if (!has(option)) return fallback;
  const std::string value = text(option);
  double number = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (status == std::errc() && end == value.data() + value.size() && number >= 0 &&
      std::isfinite(number)) {
    return number;
  }
  return usage_error(*command_, fmt::format("--{}: '{}' is not a number from 0", option, value));
}

Result<Durability> Arguments::durability() const {
  if (!has("durability")) return Durability::kFull;
  const Durability durability = parse_durability(text("durability")).value();
  return durability == Durability::kJournal ? Durability::kFull : durability;
}

}  // namespace filecall::client
