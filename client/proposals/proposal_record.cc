// SPDX-License-Identifier: MIT
#include "client/proposals/proposal_record.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/take_until.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRecordBytesMax = std::size_t{1} << 30;

std::string text_in(const Json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<Proposal> part_of(const Json& line, const char* changes, const char* digest,
                         std::string_view where) {
  if (!line.contains(changes)) {
    return fail(ErrorCode::kDataLoss, fmt::format("{}: a line lacks {}", where, changes));
  }
  if (line[changes].empty()) return Proposal{Json::array(), ""};
  Json data = {{"changes", line[changes]}};
  if (line.contains(digest)) data["digest"] = line[digest];
  return proposal_of(data, where);
}

}  // namespace

Result<ProposalRecord> ProposalRecord::open(const spool::Layout& layout, const std::string& key) {
  const std::string folder = layout.client_proposals();
  TRY(make_directories(folder));
  auto lock = spool::FileLock::acquire(folder + "/lock");
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kUnavailable,
                folder + ": another 'filecall proposal' works in this root; try again later");
  }
  if (!lock) return Unexpected(std::move(lock).error());
  ProposalRecord record(folder + "/" + key + ".jsonl", *std::move(lock));
  TRY(record.load());
  return record;
}

Result<ProposalRecord> ProposalRecord::read(const spool::Layout& layout, const std::string& key) {
  ProposalRecord record(layout.client_proposals() + "/" + key + ".jsonl", std::nullopt);
  TRY(record.load());
  return record;
}

Result<void> ProposalRecord::load() {
  auto text = read_regular_file(path_, kRecordBytesMax);
  if (!text && text.error().code == ErrorCode::kNotFound) return {};
  if (!text) return Unexpected(std::move(text).error());
  std::string_view rest = *text;
  while (!rest.empty()) {
    // A line that a crash tore is none: its request was not sent, or its response tells.
    const auto line = parse_json_strict(take_until(&rest, '\n'), limits::kDepth);
    if (line && line->is_object()) TRY(take(*line));
  }
  return {};
}

Result<void> ProposalRecord::take(const Json& line) {
  const std::string action = text_in(line, "action");
  if (action == "apply" || action == "undo") {
    pending_ = Open{text_in(line, "request_id"), action == "undo", line.value("whole", false)};
  } else if (action == "applied") {
    MadePart part{text_in(line, "request_id"), {}, {}};
    TRY_ASSIGN(part.undo, part_of(line, "undo", "undo_digest", path_));
    TRY_ASSIGN(part.rest, part_of(line, "rest", "rest_digest", path_));
    if (pending_ && pending_->is_whole) made_.clear();
    made_.push_back(std::move(part));
    pending_.reset();
  } else if (action == "undone") {
    // An earlier version took the parts back one after the other.
    if (line.value("all", false)) {
      made_.clear();
    } else if (!made_.empty()) {
      made_.pop_back();
    }
    was_undone_ = true;
    pending_.reset();
  } else if (action == "nothing") {
    pending_.reset();
  }
  return {};
}

Result<void> ProposalRecord::append(const Json& line) {
  TRY_ASSIGN(const UniqueFd file, open_regular(path_, O_WRONLY | O_APPEND | O_CREAT));
  // What an earlier line left torn ends with this line feed.
  TRY(write_all(file.get(), "\n" + dump_json(line) + "\n", path_));
  if (::fsync(file.get()) != 0) return fail_errno(errno, path_);
  return take(line);
}

Result<void> ProposalRecord::begin(const std::string& request_id, bool is_undo, bool is_whole) {
  Json line = {{"action", is_undo ? "undo" : "apply"}, {"request_id", request_id}};
  if (is_whole) line["whole"] = true;
  return append(line);
}

Result<void> ProposalRecord::end(const Json& data) {
  Json line = {{"action", pending_->is_undo ? "undone" : "applied"},
               {"request_id", pending_->request_id}};
  if (pending_->is_undo) {
    line["all"] = true;
  } else {
    for (const char* name : {"undo", "undo_digest", "rest", "rest_digest"}) {
      if (data.is_object() && data.contains(name)) line[name] = data[name];
    }
  }
  return append(line);
}

Result<void> ProposalRecord::end_without_change() {
  return append({{"action", "nothing"}, {"request_id", pending_->request_id}});
}

}  // namespace filecall::client
