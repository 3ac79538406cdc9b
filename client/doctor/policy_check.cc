// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "client/approval/core/policy.h"
#include "client/approval/policy_files.h"
#include "client/doctor/checks.h"
#include "client/engine/remembered_launch.h"

namespace filecall::client {

void check_policy(const std::string& root, Findings& findings) {
  const PolicyPlaces places{
      .configuration = configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME")),
      .project = working_directory_of(root)};
  const auto texts = read_policy_texts(places);
  const auto policy = texts ? Policy::read(*texts) : Result<Policy>(Unexpected(texts.error()));
  if (!policy) {
    findings.push_back({Severity::kProblem, "policy", policy.error().message,
                        "correct or remove the file; 'filecall policy check FILE' reads it again"});
  } else if (!texts->empty()) {
    findings.push_back({Severity::kGood, "policy", "is valid", ""});
  }
}

}  // namespace filecall::client
