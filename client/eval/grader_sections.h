// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/eval/judge_grader.h"
#include "client/eval/spec.h"
#include "yaml/yaml_section.h"

namespace filecall::client {

/// What the graders of one specification share while they are read.
struct GraderReading {
  std::string answer;  ///< The specification's own `answer`, each grader's default.
  std::vector<Judge> judges;
  SpecFileReader read_file;
  std::map<std::string, std::string> files;  ///< Read so far, by the path that was written.
  std::vector<std::string> prompt_digests;
};

/// Reads the entries under `judges`.
void read_judges(YamlSection& top, GraderReading& reading);
/// Reads one entry of `graders`; nullptr when it is not one (complaints say why).
std::unique_ptr<Grader> read_grader(YamlSection& section, GraderReading& reading);
/// Reads a JSON pointer; complains about what is none.
void read_pointer(YamlSection& section, std::string_view key, std::string& out);

}  // namespace filecall::client
