// SPDX-License-Identifier: MIT
#include "client/service/request_count.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "client/service/answer_look.h"
#include "client/service/answer_memory.h"
#include "client/service/side_by_side.h"
#include "os/clock.h"
#include "spool/client_files.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

/// Of names.
using Indices = std::vector<std::uint32_t>;

/// How many names a directory of that size may have: enough to grow the set once or twice instead
/// of twenty times. tmpfs counts 20 bytes an entry, ext4 some 40 for a name of 20.
std::size_t likely_names(int directory_fd) {
  struct stat info {};
  if (::fstat(directory_fd, &info) != 0) return 0;
  constexpr off_t kBytesPerName = 24;
  constexpr off_t kNamesMax = 2'000'000;  // 64 MiB, should the guess be wrong.
  return static_cast<std::size_t>(std::clamp<off_t>(info.st_size / kBytesPerName, 0, kNamesMax));
}

Result<spool::NameHashSet> read_name_set(int directory_fd) {
  spool::NameHashSet names;
  if (directory_fd < 0) return names;
  names.reserve(likely_names(directory_fd));
  TRY(spool::read_directory(directory_fd, [&](const spool::DirectoryEntry& entry) {
    const auto stem = spool::Layout::stem_of(entry.name);
    if (stem && entry.may_be_regular) names.insert(*stem);
  }));
  return names;
}

Result<DirectoryStamp> stamp_of(int directory_fd) {
  DirectoryStamp stamp;
  stamp.taken_at_ns = wall_now().time_since_epoch().count();
  struct stat info {};
  if (::fstat(directory_fd, &info) != 0) return fail_errno(errno, "responses");
  stamp.device = info.st_dev;
  stamp.inode = info.st_ino;
  constexpr std::int64_t kSecond = 1'000'000'000;
  stamp.mtime_ns = info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec;
  stamp.ctime_ns = info.st_ctim.tv_sec * kSecond + info.st_ctim.tv_nsec;
  return stamp;
}

/// One count of requests that have no row.
class RowlessCount {
 public:
  RowlessCount(const spool::Root& root, const spool::NameList& names, const CountOptions& options)
      : layout_(root.layout()),
        directories_(root.directories()),
        names_(names),
        read_max_(static_cast<std::size_t>(std::max<std::int64_t>(0, options.read_max))),
        remembers_(options.remembers) {}

  /// `rowless`: indices of the names. `stamp`: of before `answered` was read.
  Result<LedgerCounts> run(const Indices& rowless, const spool::NameHashSet& answered,
                           const DirectoryStamp& stamp);

 private:
  /// Counts what is remembered and still so; the rest.
  Indices recall(const Indices& answered, const DirectoryStamp& stamp);
  void read(const Indices& unknown);
  void count(std::uint32_t name, AnswerKind kind);

  const spool::Layout& layout_;
  const std::shared_ptr<const spool::Directories> directories_;
  const spool::NameList& names_;
  const std::size_t read_max_;
  const bool remembers_;
  spool::NameHashSet failed_;
  AnswerMemory memory_;
  bool is_memory_new_ = false;
  LedgerCounts counts_;
};

Result<LedgerCounts> RowlessCount::run(const Indices& rowless, const spool::NameHashSet& answered,
                                       const DirectoryStamp& stamp) {
  TRY_ASSIGN(failed_, read_name_set(directories_->failed.get()));
  // A look-up waits for memory: several at a time. Bytes, because bits share words.
  std::vector<std::uint8_t> has_answer(rowless.size());
  side_by_side(rowless.size(),
               [&](std::size_t i) { has_answer[i] = answered.contains(names_[rowless[i]]); });
  Indices with_answer;
  with_answer.reserve(rowless.size());
  for (std::size_t i = 0; i < rowless.size(); ++i) {
    if (has_answer[i] != 0) {
      with_answer.push_back(rowless[i]);
    } else {
      count(rowless[i], AnswerKind::kNone);
    }
  }
  if (with_answer.empty()) return counts_;
  memory_ = AnswerMemory::load(layout_.client_seen());
  read(recall(with_answer, stamp));
  if (is_memory_new_ && remembers_) {
    memory_.set_stamp(stamp);
    const auto saved = memory_.save(layout_.client_seen());
    // The next look reads what this one has read.
    if (!saved) log_warn("{}", saved.error().message);
  }
  return counts_;
}

void RowlessCount::count(std::uint32_t name, AnswerKind kind) {
  if (kind == AnswerKind::kSuccess) return counts_.add(RequestState::kSuccess);
  if (failed_.contains(names_[name])) return counts_.add(RequestState::kGaveUp);
  counts_.add(kind == AnswerKind::kError ? RequestState::kGaveUp : RequestState::kNew);
}

Indices RowlessCount::recall(const Indices& answered, const DirectoryStamp& stamp) {
  if (memory_.size() == 0) return answered;
  const bool is_unchanged = memory_.stamp().holds_in(stamp);
  std::vector<std::optional<AnswerMemory::Entry>> found(answered.size());
  // A response is write-once: while no name of the directory changes, none of its files does.
  side_by_side(answered.size(), [&](std::size_t i) {
    const std::string_view stem = names_[answered[i]];
    const auto entry = memory_.find(stem);
    if (!entry) return;
    if (!is_unchanged) {
      const auto identity = spool::identify_response(*directories_, stem);
      if (!identity || !*identity || !entry->is_of(**identity)) return;
    }
    found[i] = entry;
  });
  Indices unknown;
  for (std::size_t i = 0; i < answered.size(); ++i) {
    if (found[i]) {
      count(answered[i], found[i]->is_success ? AnswerKind::kSuccess : AnswerKind::kError);
    } else {
      unknown.push_back(answered[i]);
    }
  }
  if (is_unchanged) return unknown;
  is_memory_new_ = true;
  if (answered.size() - unknown.size() == memory_.size()) return unknown;
  // What was not looked at now must not be trusted under the new stamp.
  memory_ = AnswerMemory();
  for (std::size_t i = 0; i < answered.size(); ++i) {
    if (found[i]) memory_.put(names_[answered[i]], *found[i]);
  }
  return unknown;
}

void RowlessCount::read(const Indices& unknown) {
  std::vector<AnswerLook> looks(std::min(unknown.size(), read_max_));
  side_by_side(looks.size(), [&](std::size_t i) {
    looks[i] = look_at_answer(*directories_, names_[unknown[i]]);
  });
  for (std::size_t i = 0; i < looks.size(); ++i) {
    count(unknown[i], looks[i].kind);
    if (looks[i].kind == AnswerKind::kNone) continue;
    memory_.put(names_[unknown[i]], looks[i].kind == AnswerKind::kSuccess, looks[i].identity);
    is_memory_new_ = true;
  }
  const auto left = static_cast<std::int64_t>(unknown.size() - looks.size());
  counts_.unread += left;
  counts_.total += left;
}

/// What the database knows.
struct RowCount {
  /// Of control requests too. Not of tombstones: whose name is there was dropped since.
  spool::NameHashSet ids;
  LedgerCounts counts;
  spool::NameList fresh;  ///< NEW ones, which somebody may have answered nevertheless.
};

/// As RootRows::take_answer.
void take_answers(const spool::Directories& directories, RowCount& rows) {
  for (std::size_t i = 0; i < rows.fresh.size(); ++i) {
    const AnswerKind kind = look_at_answer(directories, rows.fresh[i]).kind;
    if (kind == AnswerKind::kNone) continue;
    --rows.counts.by_state.at(static_cast<std::size_t>(RequestState::kNew));
    --rows.counts.total;
    rows.counts.add(kind == AnswerKind::kSuccess ? RequestState::kSuccess : RequestState::kGaveUp);
  }
}

Result<RowCount> count_rows(StateStore& store) {
  RowCount rows;
  TRY(store.each_id([&](std::string_view id, RequestState state, RowKind kind) {
    if (kind != RowKind::kTombstone) rows.ids.insert(id);
    if (kind != RowKind::kRequest) return;
    rows.counts.add(state);
    if (state == RequestState::kNew) rows.fresh.add(id);
  }));
  return rows;
}

/// names(responses) and the directory's stamp of before.
struct AnsweredNames {
  DirectoryStamp stamp;
  spool::NameHashSet names;
};

Result<AnsweredNames> read_answered(const spool::Directories& directories) {
  AnsweredNames answered;
  TRY_ASSIGN(answered.stamp, stamp_of(directories.responses.get()));
  TRY_ASSIGN(answered.names, read_name_set(directories.responses.get()));
  return answered;
}

}  // namespace

Result<spool::NameList> read_request_names(const spool::Root& root) {
  spool::NameList names;
  const auto directories = root.directories();
  TRY(spool::read_directory(directories->requests.get(), [&](const auto& entry) {
    const auto stem = spool::Layout::stem_of(entry.name);
    if (stem && entry.may_be_regular && spool::may_change(*directories, *stem)) names.add(*stem);
  }));
  return names;
}

Result<RequestCount> count_requests(const spool::Root& root, StateStore& store,
                                    const CountOptions& options) {
  const auto directories = root.directories();
  auto listing = std::async(std::launch::async, [&root] { return read_request_names(root); });
  TRY_ASSIGN(RowCount rows, count_rows(store));
  take_answers(*directories, rows);
  // Without a row, every answer is asked for: no need to see the names first.
  std::optional<Result<AnsweredNames>> answered;
  if (rows.ids.size() == 0) answered = read_answered(*directories);
  auto listed = listing.get();
  TRY_ASSIGN(spool::NameList names, std::move(listed));
  RequestCount count{rows.counts, std::move(names)};
  Indices rowless;
  for (std::size_t i = 0; i < count.names.size(); ++i) {
    if (!rows.ids.contains(count.names[i])) rowless.push_back(static_cast<std::uint32_t>(i));
  }
  if (rowless.empty()) return count;
  if (!answered) answered = read_answered(*directories);
  TRY_ASSIGN(const AnsweredNames seen, std::move(*answered));
  RowlessCount rest(root, count.names, options);
  TRY_ASSIGN(const LedgerCounts others, rest.run(rowless, seen.names, seen.stamp));
  for (std::size_t i = 0; i < others.by_state.size(); ++i) {
    count.counts.by_state.at(i) += others.by_state.at(i);
  }
  count.counts.total += others.total;
  count.counts.unread += others.unread;
  return count;
}

}  // namespace filecall::client
