// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/cli/command_table.h"
#include "ipc/durability.h"

namespace filecall::client {

/// What was written on the command line of one subcommand, checked against its row of the table.
class Arguments {
 public:
  /// Failure: invalid_argument with a hint: an unknown option, two values of one that takes one, a
  /// missing or surplus argument.
  /// Words after "--" are arguments. `--help` suspends the rules about arguments.
  static Result<Arguments> parse(const CommandSpec& command, const std::vector<std::string>& words);

  const CommandSpec& command() const { return *command_; }
  const std::vector<std::string>& words() const { return words_; }

  bool has(std::string_view option) const { return values_.contains(option); }
  /// The one given; empty when none was.
  std::string text(std::string_view option) const;
  /// All that were given, in their order.
  std::vector<std::string> all(std::string_view option) const;
  /// The rest fail with invalid_argument naming the option and what it accepts.
  Result<Duration> duration(std::string_view option, Duration fallback) const;
  Result<std::int64_t> integer(std::string_view option, std::int64_t fallback, std::int64_t min,
                               std::int64_t max) const;
  /// From 0 to 1, or a percentage; nothing when it was not given.
  Result<std::optional<double>> share(std::string_view option) const;
  /// A number, not negative.
  Result<double> number(std::string_view option, double fallback) const;
  /// Of the client's own steps; the journal is the worker's.
  Result<Durability> durability() const;

 private:
  const CommandSpec* command_ = nullptr;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> words_;
};

/// Words of `text` between spaces.
std::vector<std::string_view> split_words(std::string_view text);

}  // namespace filecall::client
