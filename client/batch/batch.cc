// SPDX-License-Identifier: MIT
#include "client/batch/batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/result.h"
#include "client/batch/batch_item.h"
#include "client/batch/batch_problems.h"
#include "client/batch/existing_request.h"
#include "client/batch/id_index.h"
#include "client/batch/request_reader.h"

namespace filecall::client {
namespace {

/// Requests of other priorities that one turn of the loop passes over: some milliseconds.
constexpr int kPassedPerTurn = 256;
constexpr std::size_t kPassedBytesPerTurn = std::size_t{1} << 20;

/// Where an item stands, as one ordered number: the source in the upper bits, then the line (or, in
/// a folder, the order of reading).
constexpr int kLineBits = 44;
std::uint64_t position_of(std::size_t source, std::int64_t line) {
  return (static_cast<std::uint64_t>(source) << kLineBits) | static_cast<std::uint64_t>(line);
}

std::string location_of(const std::vector<BatchSource>& sources, std::uint64_t position,
                        const std::string& id) {
  const std::uint64_t line = position & ((std::uint64_t{1} << kLineBits) - 1);
  const BatchSource& source = sources[position >> kLineBits];
  return item_location(source, source.is_folder ? std::optional(id) : std::nullopt,
                       static_cast<std::int64_t>(line));
}

/// `noun`: what was used twice.
std::string duplicate_text(const std::vector<BatchSource>& sources, std::string_view noun,
                           const IdIndex::Duplicate& duplicate) {
  const BatchSource& source = sources[duplicate.first_position >> kLineBits];
  const std::string& id = duplicate.later.id;
  const std::string first =
      source.is_folder ? source.path : location_of(sources, duplicate.first_position, id);
  return fmt::format("{}: '{}': the {} was used before, in {}, with {} content; {}",
                     location_of(sources, duplicate.later.position, id), id, noun, first,
                     duplicate.is_same_content ? "the same" : "other",
                     duplicate.is_same_content ? "remove one of them" : "rename one of them");
}

Result<BatchItem, std::string> read_item(const RawRequest& raw, ItemCheck check,
                                         const RequestMaker& maker,
                                         const ProviderCatalog& catalog = {}) {
  if (!raw.problem.empty()) return raw.problem;
  DerivedIdentity identity{raw.name, {}};
  if (raw.of_row != nullptr) identity.content = raw.of_row->identity;
  TRY_ASSIGN(BatchItem item, read_batch_item(raw.text, raw.stem, check, identity, catalog));
  if (item.has_after && !raw.name.empty()) {
    return std::string(
        "/after: only a request as it stands can wait; leave --model, --repeat and templates out");
  }
  if (raw.of_row != nullptr) item.metadata = raw.of_row->metadata;
  TRY(end_id(item, maker.plan().id_ending));
  return item;
}

void count_item(const BatchItem& item, const RawRequest& raw, BatchCheck& check) {
  if (item.priority) {
    check.priorities.insert(*item.priority);
  } else {
    check.has_usual_priority = true;
  }
  check.has_options = check.has_options || item.has_options;
  check.has_waits = check.has_waits || !item.after.empty();
  if (raw.of_row == nullptr || raw.of_row->turns == 0) return;
  ++check.conversations;
  check.turns += raw.of_row->turns;
}

/// Of an input that is JSON, but not a request a line: every other line would be one more problem.
std::optional<BatchCheck> no_lines(std::string_view first, const BatchSource& source) {
  const std::string hint = conversion_hint(first, source.label);
  if (hint.empty()) return std::nullopt;
  return BatchCheck{.requests = 1,
                    .problem_count = 1,
                    .problems = {fmt::format("{}: {}", source.label, hint)},
                    .warnings = {}};
}

class BatchFeed final : public BatchSubmissions {
 public:
  BatchFeed(const std::vector<BatchSource>& sources, const RequestMaker& maker, RowChoice& choice,
            IdIndex& ids, BatchReading& reading, PriorityPasses passes = {})
      : sources_(sources),
        maker_(maker),
        choice_(choice),
        ids_(ids),
        reading_(reading),
        passes_(std::move(passes)) {}

  Result<Offer> next() override {
    TRY_ASSIGN(auto found, next_of_passes());
    if (!found) return has_more_ ? Offer::next_turn() : Offer::end();
    conversation_ = std::move(found->conversation);
    return Offer::of(make_submission(found->item, found->text, std::move(found->id)));
  }

  const std::string& conversation() const override { return conversation_; }

  struct Found {
    BatchItem item;
    std::string_view text;  ///< Valid until the next call.
    std::string id;
    std::string conversation;
    std::uint64_t position = 0;
  };
  /// nullopt: no more in the order of the input.
  Result<std::optional<Found>> next_item() {
    if (!reader_) TRY(begin());
    // What counts the rows and ids is the batch's: one at a time goes through it.
    CHECK(reading_.latest == number_, "another feed of the batch has begun");
    for (;;) {
      TRY_ASSIGN(const std::optional<RawRequest> raw, reader_->next());
      if (!raw) return std::optional<Found>();
      const BatchSource& source = sources_[raw->source];
      if (raw->source + 1 != verified_) TRY(verify(raw->source));
      auto read = read_item(*raw, ItemCheck::kTrusted, maker_);
      if (!read) {
        return fail(ErrorCode::kAborted,
                    fmt::format("{}: {}; it changed after it was checked, run "
                                "again when it is complete",
                                item_location(source, raw->stem, raw->line), read.error()));
      }
      BatchItem& item = *read;
      if (source.is_folder) {
        // A folder may grow while it is read: what was not checked is not dropped.
        TRY_ASSIGN(const bool was_checked, ids_.contains(item.id));
        if (!was_checked) continue;
      }
      std::string id = item.id;
      if (item.is_derived) {
        TRY_ASSIGN(const std::int64_t occurrence, ids_.next_occurrence(item.id));
        id = occurrence_id(item.id, occurrence);
      }
      std::string conversation = raw->of_row == nullptr ? "" : raw->of_row->conversation;
      const std::uint64_t position =
          position_of(raw->source, source.is_folder ? ++given_ : raw->line);
      return std::optional(
          Found{std::move(item), raw->text, std::move(id), std::move(conversation), position});
    }
  }

 private:
  /// Goes through the input once for each priority, and in one call over no more of the others'
  /// requests than a turn may take. nullopt: none yet (`has_more_`), or no more.
  Result<std::optional<Found>> next_of_passes() {
    std::size_t bytes = 0;
    has_more_ = true;
    for (int passed = 0; passed < kPassedPerTurn && bytes < kPassedBytesPerTurn; ++passed) {
      TRY_ASSIGN(auto found, next_item());
      if (!found) {
        has_more_ = passes_.go_on();
        if (!has_more_) return found;
        TRY(begin());
        continue;
      }
      if (passes_.takes(found->item.priority)) return found;
      bytes += found->text.size();
    }
    return std::optional<Found>();
  }

  Result<void> begin() {
    number_ = ++reading_.latest;
    TRY(ids_.rewind());
    reader_.emplace(sources_, maker_, choice_);
    given_ = 0;
    verified_ = 0;
    return {};
  }

  Result<void> verify(std::size_t source) {
    verified_ = source + 1;
    if (sources_[source].is_folder) return {};
    TRY_ASSIGN(const spool::FileIdentity now, identify_file(sources_[source].path));
    if (now == sources_[source].identity) return {};
    return fail(ErrorCode::kAborted,
                fmt::format("{}: changed after it was checked; run again when it is complete",
                            sources_[source].path));
  }

  const std::vector<BatchSource>& sources_;
  const RequestMaker& maker_;
  RowChoice& choice_;
  IdIndex& ids_;
  BatchReading& reading_;
  PriorityPasses passes_;
  bool has_more_ = false;     ///< Although the last call has found none.
  std::uint64_t number_ = 0;  ///< Of this pass, see BatchReading.
  std::optional<RequestReader> reader_;
  std::string conversation_;  ///< Of the last submission.
  std::int64_t given_ = 0;    ///< Files of folders.
  std::size_t verified_ = 0;  ///< One more than the source that was verified last.
};

/// Fills in whom the items of a checked batch wait for.
class WaitCheck {
 public:
  WaitCheck(IdIndex& ids, const EndedBefore& ended_before, WaitPlan& plan, ProblemList& problems,
            const std::vector<BatchSource>& sources)
      : ids_(ids),
        ended_before_(ended_before),
        plan_(plan),
        problems_(problems),
        sources_(sources) {}

  /// Ids that are derived are known only once all was read: it is read again.
  Result<void> add_all(const RequestMaker& maker, RowChoice& choice, BatchReading& reading) {
    ending_ = maker.plan().id_ending;
    BatchFeed feed(sources_, maker, choice, ids_, reading);
    for (;;) {
      TRY_ASSIGN(const auto found, feed.next_item());
      if (!found) break;
      TRY(add(*found));
    }
    plan_.finish();
    find_cycle();
    return {};
  }

 private:
  Result<void> add(const BatchFeed::Found& found) {
    if (found.item.after.empty()) return {};
    const auto waiter = plan_.add_waiter(found.id, found.item.after_any, found.position);
    for (const std::string& stated : found.item.after) {
      const std::string id = stated + ending_;
      TRY_ASSIGN(const bool is_in_input, ids_.contains(id));
      if (id == found.id) {
        complain(found, "waits for itself; take its own id out of after");
      } else if (is_in_input) {
        plan_.add_wait(waiter, id);
      } else {
        TRY(add_of_root(found, waiter, stated));
      }
    }
    return {};
  }

  void find_cycle() {
    const auto cycle = plan_.graph().find_cycle();
    if (cycle.empty()) return;
    const auto first = cycle.front();
    problems_.add(plan_.position(first),
                  fmt::format("{}: /after: requests wait for each other in a circle: {}; take one "
                              "of these out of after",
                              location_of(sources_, plan_.position(first), plan_.id(first)),
                              plan_.cycle_text(cycle)));
  }

  Result<void> add_of_root(const BatchFeed::Found& found, WaitPlan::Node waiter,
                           const std::string& stated) {
    for (const std::string& id : {stated + ending_, stated}) {
      if (!ended_before_) break;
      TRY_ASSIGN(const auto is_success, ended_before_(id));
      if (!is_success) continue;
      plan_.add_wait_for_ended(waiter, id, *is_success);
      return {};
    }
    complain(found, fmt::format("waits for '{}', which is not in the input and has not ended in "
                                "this root; correct the id, or add that request",
                                stated));
    return {};
  }
  void complain(const BatchFeed::Found& found, const std::string& what) {
    problems_.add(found.position,
                  fmt::format("{}: /after: '{}' {}",
                              location_of(sources_, found.position, found.id), found.id, what));
  }

  IdIndex& ids_;
  const EndedBefore& ended_before_;
  std::string ending_;  ///< Of all ids.
  WaitPlan& plan_;
  ProblemList& problems_;
  const std::vector<BatchSource>& sources_;
};

}  // namespace

Batch::Batch(std::vector<BatchSource> sources, RequestMaker maker, spool::Layout layout)
    : sources_(std::move(sources)),
      maker_(std::move(maker)),
      choice_(maker_.plan().selection),
      layout_(std::move(layout)) {
  for (BatchSource& source : sources_) {
    if (source.syntax != RowSyntax::kLines) source.types = maker_.plan().types;
  }
  if (!sources_.empty()) name_ = sources_.front().label;
  if (sources_.size() > 1) name_ += fmt::format(" and {} more", sources_.size() - 1);
  name_ += maker_.plan().id_ending;
}
Batch::~Batch() = default;

Result<std::unique_ptr<Batch>> Batch::open(const std::vector<std::string>& inputs,
                                           RequestMaker maker, const spool::Layout& layout,
                                           int stdin_fd, std::optional<RowSyntax> syntax) {
  TRY_ASSIGN(auto sources, open_batch_sources(inputs, layout.client_batches(), stdin_fd, syntax));
  return std::unique_ptr<Batch>(new Batch(std::move(sources), std::move(maker), layout));
}

Result<BatchCheck> Batch::check(bool is_strict, const ProviderCatalog& catalog,
                                const EndedBefore& ended_before) {
  waits_ = {};
  ++reading_.latest;
  TRY_ASSIGN(ids_, IdIndex::create());
  TRY_ASSIGN(const auto rows, IdIndex::create());
  ProblemList problems(kProblemsMax);
  const auto duplicates_of = [&](std::string_view noun) {
    return [&, noun](const IdIndex::Duplicate& duplicate) {
      problems.add(duplicate.later.position, duplicate_text(sources_, noun, duplicate));
    };
  };
  ExistingRequests existing(layout_);
  TRY(choice_.prepare(sources_));
  RequestReader reader(sources_, maker_, choice_);
  UnknownMembers unknown;
  BatchCheck counted;
  std::int64_t& requests = counted.requests;
  for (;;) {
    TRY_ASSIGN(const std::optional<RawRequest> raw, reader.next());
    if (!raw) break;
    ++requests;
    const bool is_file = sources_[raw->source].is_folder;
    const std::uint64_t position = position_of(raw->source, is_file ? requests : raw->line);
    auto read = read_item(*raw, ItemCheck::kFull, maker_, catalog);
    std::string problem;
    if (!read) {
      problem = read.error();
      if (requests == 1 && !is_file) {
        if (auto none = no_lines(raw->text, sources_[raw->source])) return std::move(*none);
      }
    } else {
      const BatchItem& item = *read;
      count_item(item, *raw, counted);
      if (!item.unknown.empty()) {
        const auto where = item_location(sources_[raw->source], raw->stem, raw->line);
        if (is_strict) problem = unknown_members_text(item.unknown);
        for (const std::string& name : item.unknown) {
          if (!is_strict) unknown.add(name, where);
        }
      }
      if (problem.empty() && existing.may_have(item.id)) {
        problem = existing.conflict(make_submission(item, raw->text, item.id));
      }
      TRY(ids_->add({item.id, position, item.content, item.is_derived}, duplicates_of("id")));
      if (raw->is_row_name) {
        TRY(rows->add({std::string(raw->name), position, item.content, false},
                      duplicates_of(maker_.row_noun())));
      }
    }
    if (!problem.empty()) {
      const auto where = item_location(sources_[raw->source], raw->stem, raw->line);
      problems.add(position, fmt::format("{}: {}", where, problem));
    }
  }
  TRY(ids_->finish(duplicates_of("id")));
  TRY(rows->finish(duplicates_of(maker_.row_noun())));
  counted.warnings = unknown.texts();
  if (counted.has_waits && problems.empty()) {
    TRY(WaitCheck(*ids_, ended_before, waits_, problems, sources_)
            .add_all(maker_, choice_, reading_));
  }
  counted.problem_count = problems.count();
  counted.problems = problems.take_texts();
  return counted;
}

Result<void> Batch::list(const VisitListed& visit) {
  CHECK(ids_ != nullptr, "a batch is checked before it is listed");
  BatchFeed feed(sources_, maker_, choice_, *ids_, reading_);
  for (;;) {
    TRY_ASSIGN(const auto found, feed.next_item());
    if (!found) return {};
    TRY(visit(found->id, found->item.metadata));
  }
}

std::unique_ptr<BatchSubmissions> Batch::feed(PriorityPasses passes) {
  CHECK(ids_ != nullptr, "a batch is checked before it is fed");
  return std::make_unique<BatchFeed>(sources_, maker_, choice_, *ids_, reading_, std::move(passes));
}

}  // namespace filecall::client
