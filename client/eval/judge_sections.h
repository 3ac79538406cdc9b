// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/eval/grader_sections.h"
#include "client/eval/pair_judge.h"

namespace filecall::client {

/// Reads the entries under `judges` of the specification.
void read_judges(YamlSection& top, GraderReading& reading);
/// The judges of one grader: `judges` names some of the specification's, or holds its own. Without
/// it, all of the specification's. Empty: a complaint says why.
std::vector<Judge> judges_of(YamlSection& section, GraderReading& reading);
/// Reads `template` or `template_file`. `own`: the places that are no columns, `required`: those of
/// them that must be there. Puts the columns it names into `columns`.
std::string read_template(YamlSection& section, GraderReading& reading,
                          const std::set<std::string, std::less<>>& own,
                          const std::vector<std::string>& required,
                          std::set<std::string, std::less<>>& columns);
/// Reads `scale` or `labels`.
JudgeScale read_scale(YamlSection& section);
/// Reads a grader of the kind judge; nullptr: complaints say why.
std::unique_ptr<Grader> read_judge(YamlSection& section, GraderSettings settings,
                                   GraderReading& reading);

/// Reads `pairwise`; nullopt: it is not there, or complaints say why. Its digest is left empty.
std::optional<PairRule> read_pairwise(YamlSection& top, GraderReading& reading);

}  // namespace filecall::client
