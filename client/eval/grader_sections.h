// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/judge_grader.h"
#include "client/eval/spec.h"
#include "yaml/yaml_section.h"

namespace filecall::client {

/// What the graders of one specification share while they are read.
struct GraderReading {
  std::string answer;  ///< The specification's own `answer`, each grader's default.
  std::vector<Judge> judges;
  std::vector<Judge> asked_judges;  ///< Of each grader in turn, whether named here or its own.
  SpecFileReader read_file;
  std::map<std::string, std::string> files;  ///< Read so far, by the path that was written.
  std::vector<std::string> prompt_digests;
  /// Of the grader that was read last: columns that its template names.
  std::set<std::string, std::less<>> template_columns;
};

/// Reads one entry of `graders`; nullptr when it is not one (complaints say why).
std::unique_ptr<Grader> read_grader(YamlSection& section, GraderReading& reading);
/// Whether an empty text can be what a grader expects, and a key of the specification says so.
enum class Empty : std::uint8_t { kNever, kMayBeAllowed };
/// Reads expected, expected_var or expected_at.
Expectation read_expectation(YamlSection& section, bool is_required, Empty empty);
/// The text under `key`, or that of the file under `key`_file.
std::string read_text_or_file(YamlSection& section, const std::string& key, GraderReading& reading);
/// Complains about params that no worker would take.
void check_params(YamlSection& section, std::string_view key, std::string_view command,
                  const Json& params);
/// Reads a JSON pointer; complains about what is none.
void read_pointer(YamlSection& section, std::string_view key, std::string& out);

}  // namespace filecall::client
