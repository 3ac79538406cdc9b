// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/doctor/checks.h"
#include "os/accounts.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr const char* kSubject = "root";

/// This user's own place in it.
void check_home(const spool::Layout& layout, Findings& findings) {
  if (::access(layout.home().c_str(), R_OK | W_OK | X_OK) == 0) {
    findings.push_back({Severity::kGood, kSubject, layout.home() + ": your client's state", ""});
  } else if (errno == ENOENT) {
    findings.push_back({Severity::kNote, kSubject, layout.home() + " does not exist yet",
                        "nothing: your first run makes it"});
  } else {
    findings.push_back({Severity::kProblem, kSubject,
                        fmt::format("{}: {}", layout.home(), strerror(errno)),
                        "chmod 0700 it, or let the root's owner remove it"});
  }
}

}  // namespace

bool check_group_root(const spool::Layout& layout, bool allow_shared, Findings& findings) {
  const auto group = spool::find_group_root(layout.root());
  if (!group) return false;
  const bool is_ours = group->owner == ::geteuid();
  const std::string facts = fmt::format("{}: of the group {}, its worker is {}", layout.root(),
                                        group_label(group->group), user_label(group->owner));
  if (!is_ours && ::geteuid() != 0 && !has_group(group->group)) {
    findings.push_back(
        {Severity::kProblem, kSubject, facts + "; you are no member",
         fmt::format("let an administrator run: usermod -aG {} USER", group_label(group->group))});
    return false;
  }
  const auto complaints = spool::group_complaints(layout.root(), *group);
  for (const spool::GroupComplaint& wrong : complaints) {
    findings.push_back({Severity::kProblem, kSubject, fmt::format("{} {}", wrong.path, wrong.text),
                        fmt::format("the root's owner runs: {}", wrong.advice)});
  }
  if (!is_ours && !allow_shared) {
    findings.push_back({Severity::kNote, kSubject, facts + ", who reads and answers what you ask",
                        "give --allow-shared-root on purpose"});
  } else {
    findings.push_back({Severity::kGood, kSubject, facts, ""});
  }
  if (complaints.empty()) check_home(layout, findings);
  return complaints.empty() && (is_ours || allow_shared);
}

}  // namespace filecall::client
