// SPDX-License-Identifier: MIT
#include "client/grades/grade_log.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::size_t kFilesLookedAt = 1000;

std::uint64_t key_of(std::string_view id, std::string_view name) {
  return hash64(std::string(id) + "\n" + std::string(name));
}

/// Names of the older form's files; stops at kFilesLookedAt.
Result<std::vector<std::string>> list_files(const spool::Layout& layout, std::size_t max) {
  std::vector<std::string> stems;
  auto fd = open_file(layout.eval(), O_RDONLY | O_DIRECTORY);
  if (!fd) return stems;  // Nothing was evaluated in this root.
  TRY_ASSIGN(spool::DirectoryReader reader, spool::DirectoryReader::open(fd->get()));
  for (bool more = true; more && stems.size() < max;) {
    TRY_ASSIGN(more, reader.step([&](const spool::DirectoryEntry& entry) {
      const auto stem = spool::Layout::stem_of(entry.name);
      if (stem && stems.size() < max) stems.emplace_back(*stem);
    }));
  }
  return stems;
}

/// Empty: there is no such file.
Result<std::string> read_grade_file(const spool::Layout& layout, std::string_view id) {
  auto bytes = read_regular_file(layout.eval(id), limits::kResponseBytesMax);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return std::string();
  return bytes;
}

}  // namespace

Result<GradeLog> GradeLog::open(const spool::Layout& layout) {
  GradeLog log(layout);
  TRY_ASSIGN(const auto files, list_files(layout, 1));
  log.has_files_ = !files.empty();
  TRY(log.refresh());
  return log;
}

Result<void> GradeLog::refresh() {
  struct stat at_path {};
  const bool is_there = ::stat(layout_.grades().c_str(), &at_path) == 0;
  const bool is_other = is_there
                            ? !fd_.is_open() || at_path.st_ino != inode_ || at_path.st_size < end_
                            : fd_.is_open();
  if (is_other) TRY(reopen());
  return fd_.is_open() ? read_lines() : Result<void>();
}

Result<void> GradeLog::reopen() {
  fd_ = UniqueFd();
  lines_.clear();
  others_.clear();
  names_.clear();
  end_ = damaged_ = first_damaged_at_ = 0;
  auto fd = open_regular(layout_.grades(), O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return {};
  if (!fd) return Unexpected(fd.error());
  struct stat status {};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(errno, layout_.grades() + ": stat");
  fd_ = *std::move(fd);
  inode_ = status.st_ino;
  return {};
}

Result<void> GradeLog::read_lines() {
  TRY_ASSIGN(end_, each_grade_line(fd_.get(), end_, layout_.grades(),
                                   [&](std::string_view text, std::int64_t offset) -> Result<void> {
                                     take_line(text, offset);
                                     return {};
                                   }));
  return {};
}

void GradeLog::take_line(std::string_view text, std::int64_t offset) {
  const auto record = parse_evaluation_line(text);
  if (!record) {
    if (damaged_++ == 0) first_damaged_at_ = offset;
    return;
  }
  for (const auto& [name, evaluation] : record->evaluations) {
    put(record->request_id, name, {hash64(evaluation.metadata_digest), {offset, text.size()}});
  }
}

void GradeLog::put(std::string_view id, std::string_view name, const Place& place) {
  names_.emplace(name);
  const std::uint64_t key = key_of(id, name);
  const auto [last, is_first] = lines_.try_emplace(key, place);
  if (is_first) return;
  if (last->second.labels != place.labels) {
    std::vector<Place>& others = others_[key];
    std::erase_if(others, [&](const Place& other) { return other.labels == place.labels; });
    others.push_back(last->second);
  }
  last->second = place;
}

const GradeLine* GradeLog::line_of(std::string_view id, std::string_view name,
                                   std::string_view metadata_digest) const {
  const std::uint64_t key = key_of(id, name);
  const auto last = lines_.find(key);
  if (last == lines_.end()) return nullptr;
  const auto others = others_.find(key);
  if (others == others_.end()) return &last->second.line;
  for (const std::uint64_t labels : {hash64(metadata_digest), hash64("")}) {
    if (last->second.labels == labels) return &last->second.line;
    for (const Place& other : others->second) {
      if (other.labels == labels) return &other.line;
    }
  }
  return &last->second.line;
}

bool GradeLog::has_several(std::string_view id, std::string_view name) const {
  return others_.contains(key_of(id, name));
}

void GradeLog::note(std::string_view id, std::string_view name, std::string_view metadata_digest,
                    const GradeLine& line, std::int64_t end) {
  put(id, name, {hash64(metadata_digest), line});
  // Else others wrote before it: the next refresh() reads theirs, and this one again.
  if (end_ == line.offset) end_ = end;
}

bool GradeLog::counts(const EvaluationRecord& record, const GradeLine& line) const {
  for (const auto& [name, evaluation] : record.evaluations) {
    const GradeLine* found = line_of(record.request_id, name, evaluation.metadata_digest);
    if (found != nullptr && found->offset == line.offset) return true;
  }
  return false;
}

Result<std::optional<GradeText>> GradeLog::find_text(std::string_view id, std::string_view name,
                                                     std::string_view metadata_digest) const {
  const GradeLine* found = line_of(id, name, metadata_digest);
  if (found != nullptr && fd_.is_open()) {
    std::string line(found->bytes, '\0');
    const ssize_t got = ::pread(fd_.get(), line.data(), line.size(), found->offset);
    if (got < 0) return fail_errno(errno, layout_.grades() + ": read");
    line.resize(static_cast<std::size_t>(got));
    const auto record = parse_evaluation_record(line, id);
    if (record && record->evaluations.contains(name)) {
      return std::optional(GradeText{std::move(line), true});
    }
  }
  if (!has_files_) return std::optional<GradeText>();
  TRY_ASSIGN(std::string bytes, read_grade_file(layout_, id));
  return bytes.empty() ? std::optional<GradeText>()
                       : std::optional(GradeText{std::move(bytes), false});
}

Result<std::optional<Evaluation>> GradeLog::find(std::string_view id, std::string_view name,
                                                 std::string_view metadata_digest) const {
  TRY_ASSIGN(const auto text, find_text(id, name, metadata_digest));
  if (!text) return std::optional<Evaluation>();
  auto record = parse_evaluation_record(text->text, id);
  if (!record) return std::optional<Evaluation>();
  const auto found = record->evaluations.find(name);
  if (found == record->evaluations.end()) return std::optional<Evaluation>();
  return std::optional(std::move(found->second));
}

std::set<std::string> GradeLog::names() const {
  std::set<std::string> names(names_.begin(), names_.end());
  if (!has_files_) return names;
  const auto stems = list_files(layout_, kFilesLookedAt);
  if (!stems) return names;
  for (const std::string& stem : *stems) {
    const auto bytes = read_grade_file(layout_, stem);
    const auto record = bytes ? parse_evaluation_record(*bytes, stem)
                              : Result<EvaluationRecord>(EvaluationRecord{});
    if (!record) continue;  // The report names it where it shows the item.
    for (const auto& [name, evaluation] : record->evaluations) names.insert(name);
  }
  return names;
}

bool GradeLog::is_torn() const {
  struct stat status {};
  return fd_.is_open() && ::fstat(fd_.get(), &status) == 0 && status.st_size > end_;
}

std::string GradeLog::damage() const {
  if (damaged_ == 0) return {};
  if (damaged_ == 1) {
    return fmt::format(
        "{}: 1 line cannot be read, at byte {}; what it said is graded again, and it stays",
        layout_.grades(), first_damaged_at_);
  }
  return fmt::format(
      "{}: {} lines cannot be read, the first at byte {}; what they said is graded again, and "
      "they stay",
      layout_.grades(), damaged_, first_damaged_at_);
}

Result<std::optional<std::string>> evaluations_of(const spool::Layout& layout,
                                                  std::string_view id) {
  Json all = {{"request_id", id}, {"evaluations", Json::object()}};
  TRY_ASSIGN(const std::string file, read_grade_file(layout, id));
  if (!file.empty()) {
    Json read = Json::parse(file, nullptr, false);
    if (!parse_evaluation_record(file, id)) return std::optional(file);
    all = std::move(read);
  }
  auto fd = open_regular(layout.grades(), O_RDONLY);
  if (!fd && fd.error().code != ErrorCode::kNotFound) return Unexpected(fd.error());
  if (fd) {
    const std::string mark = dump_json(Json(id));
    TRY(each_grade_line(
        fd->get(), 0, layout.grades(), [&](std::string_view text, std::int64_t) -> Result<void> {
          if (text.find(mark) == std::string_view::npos || !parse_evaluation_record(text, id)) {
            return {};
          }
          const Json line = Json::parse(text, nullptr, false);
          all["evaluations"].update(line["evaluations"]);
          return {};
        }));
  }
  if (all["evaluations"].empty()) return std::optional<std::string>();
  return std::optional(dump_json(all) + "\n");
}

}  // namespace filecall::client
