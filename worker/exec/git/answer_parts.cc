// SPDX-License-Identifier: MIT
#include "worker/exec/git/answer_parts.h"

#include <limits>

#include "base/time.h"
#include "base/utf8.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

constexpr std::string_view kBranches = "refs/heads/";

}  // namespace

Result<std::vector<std::string>> paths_param(const OpenRepository& repository, const Json& params) {
  if (!params.contains("paths")) return std::vector<std::string>();
  return checked_paths(repository, params["paths"].get<std::vector<std::string>>(),
                       "/params/paths");
}

std::string head_branch(const OpenRepository& repository) {
  ReferenceHandle head;
  if (::git_reference_lookup(Out(head), repository.get(), "HEAD") < 0) return "";
  const char* target = ::git_reference_symbolic_target(head.get());
  return target == nullptr ? "" : target;
}

std::string short_branch(std::string_view reference) {
  if (reference.starts_with(kBranches)) reference.remove_prefix(kBranches.size());
  return sanitize_utf8(reference);
}

Json head_json(const OpenRepository& repository, const git_commit* head) {
  const std::string branch = head_branch(repository);
  Json out = {{"repository", repository.name()}};
  out["branch"] = branch.empty() ? Json() : Json(short_branch(branch));
  out["head"] = head == nullptr ? Json() : Json(hex(*::git_commit_id(head)));
  return out;
}

Json signature_json(const git_signature* signature) {
  Json out = {{"name", ""}, {"email", ""}};
  if (signature == nullptr) return out;
  out["name"] = sanitize_utf8(signature->name);
  out["email"] = sanitize_utf8(signature->email);
  // Beyond what nanoseconds in 64 bits can say nobody knows when it was.
  constexpr git_time_t kSecondsMax = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
  const git_time_t at = signature->when.time;
  if (at > -kSecondsMax && at < kSecondsMax) {
    out["time"] = format_rfc3339(WallTime(seconds(at)));
  }
  return out;
}

}  // namespace filecall::worker::git
