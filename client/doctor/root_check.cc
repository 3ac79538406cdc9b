// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/doctor/checks.h"

namespace filecall::client {
namespace {

std::string user_name(uid_t uid) {
  char buffer[4096];
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return fmt::format("uid {}", uid);
}

/// As chown(1) takes it: the number of a user without a name.
std::string account(uid_t uid) {
  std::string name = user_name(uid);
  return name.starts_with("uid ") ? name.substr(4) : name;
}

/// How one who may not use `path` comes to it. Nobody takes what lies in another user's root.
std::string access_advice(const std::string& path, bool is_our_root) {
  struct stat info {};
  const bool is_known = ::stat(path.c_str(), &info) == 0;
  if (is_known && info.st_uid == ::geteuid()) return fmt::format("chmod 0700 '{}'", path);
  const std::string owner = is_known ? user_name(info.st_uid) : "the root's owner";
  if (!is_our_root) {
    return fmt::format("run as {}, or ask {} for access to it; it is not yours to change", owner,
                       owner);
  }
  return fmt::format("chown {} '{}' and chmod 0700 '{}'", account(::geteuid()), path, path);
}

/// Every program refuses a root with one.
bool is_link(const std::string& path, Findings& findings) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return false;
  findings.push_back({Severity::kProblem, "root",
                      path + " is a symbolic link, which may lead out of the root: it is not "
                             "followed",
                      "put a directory there (of another disk: mount --bind)"});
  return true;
}

/// What is no directory in the place of one ends each command that needs it.
bool check_place_of_directory(const std::string& path, Findings& findings) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return false;
  findings.push_back({Severity::kProblem, "root", path + " is not a directory",
                      "move it away; the first program that needs the directory makes it"});
  return true;
}

/// A directory that must be usable; one that is missing is made when it is needed.
void check_directory(const std::string& path, bool is_our_root, Findings& findings) {
  if (check_place_of_directory(path, findings)) return;
  if (::access(path.c_str(), R_OK | W_OK | X_OK) == 0) return;
  if (errno == ENOENT) {
    findings.push_back({Severity::kNote, "root", path + " does not exist yet",
                        "nothing: the first program that needs it makes it"});
    return;
  }
  findings.push_back({Severity::kProblem, "root", fmt::format("{}: {}", path, strerror(errno)),
                      access_advice(path, is_our_root)});
}

bool is_others(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 &&
         (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0);
}

}  // namespace

bool check_root(const spool::Layout& layout, bool allow_shared, Findings& findings) {
  if (layout.is_of_group()) return check_group_root(layout, allow_shared, findings);
  const std::string& root = layout.root();
  struct stat info {};
  if (::stat(root.c_str(), &info) != 0) {
    const std::string text = fmt::format("{}: {}", root, strerror(errno));
    if (errno == ENOENT) {
      findings.push_back({Severity::kNote, "root", text,
                          "'filecall worker start' (or any run) creates it; or name another root "
                          "with --root or $FILECALL_ROOT"});
    } else {
      findings.push_back({Severity::kProblem, "root", text,
                          "correct the path's permissions, or name another root with --root"});
    }
    return false;
  }
  if (!S_ISDIR(info.st_mode)) {
    findings.push_back(
        {Severity::kProblem, "root", root + " is not a directory", "name a directory with --root"});
    return false;
  }
  const bool is_ours = info.st_uid == ::geteuid();
  const bool is_open = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const std::string owner = user_name(info.st_uid);
  const std::string facts = fmt::format("{}, owner {}, mode {:04o}", root, owner,
                                        static_cast<unsigned>(info.st_mode) & 07777U);
  const Severity worst = allow_shared ? Severity::kNote : Severity::kProblem;
  if (!is_ours) {
    findings.push_back({worst, "root", facts + ": it belongs to another user",
                        fmt::format("run as {}, or give --allow-shared-root on purpose", owner)});
  } else if (is_open) {
    findings.push_back(
        {worst, "root", facts + ": others may write, so others may run commands",
         fmt::format("chmod go-w '{}', or give --allow-shared-root on purpose", root)});
  } else {
    findings.push_back({Severity::kGood, "root", facts, ""});
  }
  // What lies in a root that others may write is what they say: nothing of it is read or made.
  if ((!is_ours || is_open) && !allow_shared) return false;
  for (const std::string& path :
       {root, layout.requests(), layout.responses(), layout.failed(), layout.eval(),
        layout.events(), layout.runs(), layout.paused(), layout.threads(), layout.approvals(),
        layout.proposals(), layout.worker(), layout.client()}) {
    if (path != root && is_link(path, findings)) return false;
    // The first run makes the one, the first pause the other, and an agent the rest.
    const bool is_made_late = path == layout.runs() || path == layout.paused() ||
                              path == layout.threads() || path == layout.approvals() ||
                              path == layout.proposals();
    if (is_made_late && ::access(path.c_str(), F_OK) != 0) continue;
    check_directory(path, is_ours, findings);
    if (!allow_shared && is_others(path)) {
      findings.push_back(
          {Severity::kProblem, "root",
           path + ": others own it or may write, so others may run commands",
           fmt::format("chown {} '{}' and chmod 0700 '{}'", account(::geteuid()), path, path)});
      return false;
    }
  }
  for (const std::string& path :
       {layout.worker_tmp(), layout.worker_started(), layout.worker_late(), layout.worker_journal(),
        layout.worker_changes(), layout.client_proposals(), layout.client_tmp(),
        layout.client_locks(), layout.client_run_locks(), layout.client_answers(),
        layout.client_batches(), layout.threads_data(), layout.threads_runs(),
        layout.approval_requests(), layout.approval_responses(), layout.approvals_refused()}) {
    if (is_link(path, findings)) return false;
    check_place_of_directory(path, findings);
  }
  return ::access(root.c_str(), R_OK | X_OK) == 0;
}

}  // namespace filecall::client
