// SPDX-License-Identifier: MIT
#include "client/report/items/item_reader.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client/core/cached_answer.h"
#include "client/service/last_answer.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNamesLookedAt = 1000;

std::optional<std::string> content_of(const std::string& path) {
  auto bytes = read_regular_file(path, limits::kResponseBytesMax);
  if (!bytes) return std::nullopt;
  return std::move(*bytes);
}

ItemFiles files_of(const spool::Layout& layout, const RequestEntry& entry, bool with_evaluation) {
  ItemFiles files;
  files.request = content_of(layout.request(entry.request_id));
  if (!is_final(entry.state)) return files;
  if (auto answer = last_answer(layout, entry.request_id, entry.state)) {
    if (answer->is_from_cache && !files.request) files.request = request_in_answer(answer->bytes);
    files.response = std::move(answer->bytes);
  }
  if (with_evaluation) files.evaluations = content_of(layout.eval(entry.request_id));
  return files;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + excerpt(name, 60);
  return out;
}

}  // namespace

bool fits_filter(const ReportItem& item, const ItemFilter& filter) {
  const auto fits = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  return fits(filter.model, item.subject()) && fits(filter.prompt, item.prompt_name) &&
         fits(filter.provider, item.provider);
}

Result<void> read_items(Ledger& ledger, const spool::Layout& layout, const RunScope& scope,
                        const ItemFilter& filter,
                        const std::function<void(const ReportItem&)>& visit) {
  return scope.each(ledger, [&](const RunScope::Member& member) {
    const RequestEntry& entry = member.entry;
    ItemFiles files = files_of(layout, entry, !filter.evaluation.empty());
    files.metadata = member.metadata;
    const ReportItem item = make_report_item(entry, files, filter.evaluation,
                                             filter.prices ? *filter.prices : TokenPrices());
    if (!item.is_question && fits_filter(item, filter)) visit(item);
    return true;
  });
}

Result<std::vector<std::string>> evaluation_names(const spool::Layout& layout) {
  auto fd = open_file(layout.eval(), O_RDONLY | O_DIRECTORY);
  if (!fd) return std::vector<std::string>();  // Nothing was evaluated in this root.
  TRY_ASSIGN(spool::DirectoryReader reader, spool::DirectoryReader::open(fd->get()));
  std::vector<std::string> stems;
  for (bool more = true; more && stems.size() < kNamesLookedAt;) {
    TRY_ASSIGN(more, reader.step([&](const spool::DirectoryEntry& entry) {
      const auto stem = spool::Layout::stem_of(entry.name);
      if (stem && stems.size() < kNamesLookedAt) stems.emplace_back(*stem);
    }));
  }
  std::set<std::string> names;
  for (const std::string& stem : stems) {
    const auto bytes = content_of(layout.eval(stem));
    const auto record = bytes ? parse_evaluation_record(*bytes, stem)
                              : Result<EvaluationRecord>(EvaluationRecord{});
    if (!record) continue;  // The report names it where it shows the item.
    for (const auto& [name, evaluation] : record->evaluations) names.insert(name);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::string> choose_evaluation(const spool::Layout& layout, const std::string& wanted) {
  TRY_ASSIGN(const std::vector<std::string> names, evaluation_names(layout));
  if (!wanted.empty()) {
    if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: no evaluation of that name; there {}", excerpt(wanted, 60),
                            names.empty() ? "is none in this root" : "is: " + joined(names)));
  }
  if (names.size() > 1) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} evaluations are there; name one with --eval (compare: @eval=NAME): {}",
                    names.size(), joined(names)));
  }
  return names.empty() ? std::string() : names.front();
}

}  // namespace filecall::client
