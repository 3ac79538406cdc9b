// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>

#include "client/approval/core/policy.h"
#include "client/approval/policy_files.h"
#include "client/doctor/checks.h"

namespace filecall::client {

void check_policy(Findings& findings) {
  std::error_code status;
  const PolicyPlaces places{
      .configuration = configuration_folder(std::getenv("XDG_CONFIG_HOME"), std::getenv("HOME")),
      .project = std::filesystem::current_path(status).string()};
  const auto texts = read_policy_texts(places);
  const auto policy = texts ? Policy::read(*texts) : Result<Policy>(Unexpected(texts.error()));
  if (!policy) {
    findings.push_back({Severity::kProblem, "policy", policy.error().message,
                        "correct or remove the file; 'filecall policy check' reads it again"});
  } else if (!texts->empty()) {
    findings.push_back({Severity::kGood, "policy", "is valid", ""});
  }
}

}  // namespace filecall::client
