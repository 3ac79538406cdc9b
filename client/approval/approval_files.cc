// SPDX-License-Identifier: MIT
#include "client/approval/approval_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/stem.h"
#include "client/approval/approval_key.h"
#include "client/approval/core/bundle.h"
#include "client/approval/core/shown_approval.h"
#include "ipc/json_text.h"
#include "ipc/strict_parser.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRequestBytesMax = std::size_t{64} << 20;
constexpr std::size_t kDecisionBytesMax = std::size_t{16} << 20;
constexpr int kDepthMax = 100;

Result<Json> read_json_at(int folder, const std::string& name, std::string_view where,
                          std::size_t bytes_max) {
  if (folder < 0) return fail(ErrorCode::kNotFound, fmt::format("{}/{}: not found", where, name));
  TRY_ASSIGN(const UniqueFd fd, open_regular_at(folder, name, O_RDONLY, where));
  TRY_ASSIGN(const std::string text, read_all(fd.get(), bytes_max, name));
  auto parsed = parse_strict(text, kDepthMax, Strictness::kRequest, "approval");
  if (!parsed) {
    return fail(ErrorCode::kDataLoss,
                fmt::format("{}/{}: {}", where, name, parsed.error().message));
  }
  return *std::move(parsed);
}

std::string file_of(std::string_view id) { return spool::Layout::file_name(id); }

Result<void> check_id(std::string_view id) {
  if (is_valid_stem(id)) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{}: is no id of an approval; 'filecall approvals' lists them", excerpt(id, 60)));
}

Result<UniqueFd> open_folder(const std::string& path, bool creates) {
  if (creates) TRY(make_directories(path));
  auto fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd && !creates && fd.error().code == ErrorCode::kNotFound) return UniqueFd();
  return fd;
}

std::string decided_text(std::string_view id, const ApprovalDecision& there) {
  return fmt::format("{}: was already {} by {} at {}{}", id, outcome_text(there),
                     there.by.empty() ? "somebody" : excerpt(there.by, 60),
                     format_rfc3339(there.decided_at),
                     there.reason.empty() ? "" : fmt::format(" ({})", excerpt(there.reason, 100)));
}

}  // namespace

ApprovalFiles::ApprovalFiles(spool::Layout layout, Durability durability)
    : layout_(std::move(layout)), durability_(durability) {}

Result<ApprovalFiles> ApprovalFiles::open(const spool::Layout& layout, bool creates,
                                          Durability durability) {
  ApprovalFiles files(layout, durability);
  TRY_ASSIGN(files.requests_, open_folder(layout.approval_requests(), creates));
  TRY_ASSIGN(files.responses_, open_folder(layout.approval_responses(), creates));
  TRY_ASSIGN(files.refused_, open_folder(layout.approvals_refused(), creates));
  return files;
}

Result<std::string> ApprovalFiles::key() const { return approval_key(layout_); }

Result<void> ApprovalFiles::publish_request(const Json& request) {
  TRY(check_bundle(request));
  const std::string id = request["id"].get<std::string>();
  TRY(check_id(id));
  // Who may decide finds the key as soon as there is something to decide.
  TRY(key());
  TRY(spool::replace_file(requests_.get(), file_of(id), dump_json(request, 2) + "\n", durability_));
  return durability_ == Durability::kNone ? Result<void>() : spool::sync_directory(requests_.get());
}

Result<Json> ApprovalFiles::read_request(std::string_view id) const {
  TRY(check_id(id));
  auto request = read_json_at(requests_.get(), file_of(id), "approvals/requests", kRequestBytesMax);
  if (!request && request.error().code == ErrorCode::kNotFound) {
    return fail(
        ErrorCode::kNotFound,
        fmt::format(
            "{}: no such approval, or its run has ended or asks no more; 'filecall approvals' "
            "lists those that wait",
            id));
  }
  if (!request) return request;
  if (auto checked = check_bundle(*request); !checked) {
    return fail(checked.error().code, fmt::format("{}: {}", id, checked.error().message));
  }
  if ((*request)["id"] != std::string(id)) {
    return fail(ErrorCode::kDataLoss, fmt::format("{}: its file has the id of another one", id));
  }
  return request;
}

Result<std::vector<ListedApproval>> ApprovalFiles::list(bool all) const {
  std::vector<ListedApproval> listed;
  if (!requests_.is_open()) return listed;
  std::vector<std::string> names;
  TRY(spool::read_directory(requests_.get(), [&names](const spool::DirectoryEntry& entry) {
    names.emplace_back(entry.name);
  }));
  for (const std::string& name : names) {
    const auto stem = spool::Layout::stem_of(name);
    if (!stem) continue;
    ListedApproval one;
    one.id = std::string(*stem);
    auto request = read_request(*stem);
    if (!request) {
      if (request.error().code == ErrorCode::kNotFound) continue;  // Withdrawn meanwhile.
      one.problem = request.error().message;
      listed.push_back(std::move(one));
      continue;
    }
    one.request = *std::move(request);
    auto file = read_response(*stem);
    if (!file) {
      one.problem = file.error().message;
    } else if (*file) {
      auto decision = check(**file, *stem, {});
      if (decision) {
        one.decision = *std::move(decision);
      } else {
        one.problem = "a decision that does not hold: " + decision.error().message;
      }
    }
    if (all || !one.decision) listed.push_back(std::move(one));
  }
  const auto age = [](const ListedApproval& one) {
    return std::pair(one.request.is_object() ? one.request.value("createdAt", "") : "", one.id);
  };
  std::sort(listed.begin(), listed.end(),
            [&age](const auto& a, const auto& b) { return age(a) < age(b); });
  return listed;
}

Result<std::optional<Json>> ApprovalFiles::read_response(std::string_view id) const {
  auto file = read_json_at(responses_.get(), file_of(id), "approvals/responses", kDecisionBytesMax);
  if (file) return std::optional<Json>(*std::move(file));
  if (file.error().code == ErrorCode::kNotFound) return std::optional<Json>();
  return Unexpected(file.error());
}

Result<ApprovalDecision> ApprovalFiles::check(const Json& file, std::string_view id,
                                              const ExpectedApproval& expected) const {
  TRY_ASSIGN(const Json request, read_request(id));
  if (!expected.digest.empty() && request["digest"] != expected.digest) {
    return fail(ErrorCode::kFailedPrecondition,
                "the request was changed after it was asked: its digest is another one");
  }
  TRY_ASSIGN(const std::string secret, key());
  const std::string policy = expected.policy_digest.value_or(request["policyDigest"]);
  const std::string scenario =
      expected.scenario_digest.value_or(request.value("scenarioDigest", std::string()));
  return check_decision(file, {request, secret, policy, scenario});
}

Result<void> ApprovalFiles::publish_decision(const Json& file) {
  const std::string id = file.value("id", std::string());
  TRY(check_id(id));
  TRY(check(file, id, {}));
  const std::string name = file_of(id);
  const std::string bytes = dump_json(file, 2) + "\n";
  for (int tries = 0; tries < 8; ++tries) {
    const std::string temporary = spool::next_temporary_name();
    TRY_ASSIGN(const spool::Publication done, spool::publish_new({.staging_fd = responses_.get(),
                                                                  .temporary_name = temporary,
                                                                  .directory_fd = responses_.get(),
                                                                  .name = name,
                                                                  .bytes = bytes,
                                                                  .durability = durability_}));
    if (done == spool::Publication::kPublished) {
      TRY(check_still_asked(id, file));
      if (durability_ == Durability::kNone) return {};
      return spool::sync_directory(responses_.get());
    }
    TRY_ASSIGN(const auto there, read_decision(id, {}));
    if (there) return fail(ErrorCode::kAlreadyExists, decided_text(id, *there));
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("{}: something writes wrong decisions again and again; see "
                          "approvals/refused/",
                          id));
}

bool ApprovalFiles::is_asked(std::string_view id) const {
  const auto request = read_request(id);
  return request || request.error().code != ErrorCode::kNotFound;
}

/// A request that is taken back goes before its decision: who finds it here has not taken the place
/// of a decision that was set aside.
Result<void> ApprovalFiles::check_still_asked(const std::string& id, const Json& file) {
  if (is_asked(id)) return {};
  TRY(set_aside(id, "its request was taken back meanwhile", file));
  return fail(
      ErrorCode::kNotFound,
      fmt::format("{}: was taken back while it was decided; the decision counts for nothing", id));
}

Result<std::optional<ApprovalDecision>> ApprovalFiles::read_decision(
    std::string_view id, const ExpectedApproval& expected, std::string* refused) {
  TRY(check_id(id));
  auto file = read_response(id);
  std::string reason;
  const std::optional<Json> seen = file ? *file : std::nullopt;
  if (file && !*file) return std::optional<ApprovalDecision>();
  if (file) {
    auto decision = check(**file, id, expected);
    if (decision) return std::optional<ApprovalDecision>(*std::move(decision));
    const ErrorCode code = decision.error().code;
    const bool is_ours = code == ErrorCode::kPermissionDenied || code == ErrorCode::kNotFound ||
                         code == ErrorCode::kDataLoss || code == ErrorCode::kInternal;
    if (is_ours) return Unexpected(decision.error());  // The key or the request, not the decision.
    reason = decision.error().message;
  } else {
    reason = file.error().message;
  }
  TRY_ASSIGN(const bool is_it, set_aside(id, reason, seen));
  if (!is_it) return read_decision(id, expected, refused);
  if (refused != nullptr) *refused = reason;
  return std::optional<ApprovalDecision>();
}

Result<bool> ApprovalFiles::set_aside(std::string_view id, std::string_view reason,
                                      const std::optional<Json>& seen) {
  unsigned char random[4] = {};
  if (::getrandom(random, sizeof(random), 0) < 0) return fail_errno(errno, "getrandom");
  const std::string stem =
      fmt::format("{}.{:02x}{:02x}{:02x}{:02x}", id, random[0], random[1], random[2], random[3]);
  const std::string name = file_of(id);
  if (::renameat2(responses_.get(), name.c_str(), refused_.get(), file_of(stem).c_str(),
                  RENAME_NOREPLACE) != 0) {
    if (errno == ENOENT) return true;  // Another client has set it aside.
    return fail_errno(errno, "approvals/responses/" + name);
  }
  std::string why(reason);
  if (seen) {
    const auto moved =
        read_json_at(refused_.get(), file_of(stem), "approvals/refused", kDecisionBytesMax);
    if (moved && *moved != *seen) {  // Another one came in its place meanwhile.
      if (is_asked(id) && ::renameat2(refused_.get(), file_of(stem).c_str(), responses_.get(),
                                      name.c_str(), RENAME_NOREPLACE) == 0) {
        // Who takes a request back finds no decision while it is moved: look again, as after each
        // decision that is published.
        TRY(check_still_asked(std::string(id), *moved));
        return false;
      }
      why = "its request was taken back meanwhile, or another decision took its place";
    }
  }
  const Json note = {{"id", id}, {"refusedAt", format_rfc3339(wall_now())}, {"reason", why}};
  TRY(spool::replace_file(refused_.get(), file_of(stem + ".reason"), dump_json(note, 2) + "\n",
                          durability_));
  return true;
}

Result<void> ApprovalFiles::withdraw(std::string_view id, std::string_view reason) {
  TRY(check_id(id));
  // The request goes first, so that nobody decides in the place of a decision that is set aside.
  const bool was_there = ::unlinkat(requests_.get(), file_of(id).c_str(), 0) == 0;
  if (!was_there && errno != ENOENT) {
    return fail_errno(errno, "approvals/requests/" + file_of(id));
  }
  TRY(set_aside(id, reason, std::nullopt));
  return !was_there || durability_ == Durability::kNone ? Result<void>()
                                                        : spool::sync_directory(requests_.get());
}

Result<void> ApprovalFiles::withdraw_waiting(std::string_view run, std::string_view reason) {
  if (!requests_.is_open()) return {};
  const std::string prefix = std::string(run) + ".";
  std::vector<std::string> ids;
  TRY(spool::read_directory(requests_.get(), [&](const spool::DirectoryEntry& entry) {
    const auto id = spool::Layout::stem_of(entry.name);
    if (id && id->starts_with(prefix)) ids.emplace_back(*id);
  }));
  for (const std::string& id : ids) {
    const auto decision = read_response(id);
    if (decision && !*decision) TRY(withdraw(id, reason));
  }
  return {};
}

Result<UniqueFd> ApprovalFiles::watch(bool requests_too) const {
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd.is_open()) return fail_errno(errno, "inotify");
  const auto add = [&fd](const std::string& path) -> Result<void> {
    if (::inotify_add_watch(fd.get(), path.c_str(),
                            IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) < 0) {
      return fail_errno(errno, path);
    }
    return {};
  };
  TRY(add(layout_.approval_responses()));
  if (requests_too) TRY(add(layout_.approval_requests()));
  return fd;
}

}  // namespace filecall::client
