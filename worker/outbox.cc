// SPDX-License-Identifier: MIT
#include "worker/outbox.h"

#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "loop/pool_work.h"

namespace filecall::worker {
namespace {

constexpr Duration kRetryPeriod = seconds(1);
// As long as ext4 takes to write back by itself: a root at rest needs its journal no longer.
constexpr Duration kCheckpointDelay = seconds(5);
// A sync costs as much as some ten answers. Larger groups would save little more and let clients
// that wait for answers wait longer.
constexpr std::size_t kGroupMin = 64;

}  // namespace

Outbox::Outbox(uv_loop_t* loop)
    : loop_(loop),
      retry_timer_(loop, [this] { retry_stuck(); }),
      checkpoint_timer_(loop, [this] { checkpoint_idle(); }) {}

Outbox::~Outbox() { CHECK(is_idle(), "an outbox is destroyed only when everything is delivered"); }

void Outbox::offload(std::function<void()> work, std::function<void()> after) {
  run_in_pool(loop_, std::move(work), std::move(after));
}

void Outbox::answer(spool::Source& source, std::string stem, std::string bytes,
                    std::optional<spool::StartRecordName> record, bool may_repeat,
                    std::function<void(bool)> done) {
  ++pending_;
  send(std::make_unique<Letter>(Letter{&source,
                                       {std::move(stem), std::move(bytes), std::move(record)},
                                       std::move(done),
                                       may_repeat}));
}

void Outbox::send(std::unique_ptr<Letter> letter) {
  if (letter->source->is_grouped()) {
    spool::Source* source = letter->source;
    Group& group = groups_[source];
    source->stage(letter->posting);
    group.gathered.push_back(std::move(letter));
    if (group.gathered.size() >= kGroupMin) commit(source);
    return;
  }
  if (!letter->source->is_blocking()) {
    const spool::Posting& posting = letter->posting;
    const auto result = letter->source->publish(posting.stem, posting.bytes, posting.record);
    on_published(std::move(letter), result);
    return;
  }
  struct Flight {
    std::unique_ptr<Letter> letter;
    std::optional<Result<spool::Publication>> result;
  };
  // std::function needs copyable captures.
  auto flight = std::make_shared<Flight>(Flight{std::move(letter), std::nullopt});
  offload(
      [flight] {
        const spool::Posting& sent = flight->letter->posting;
        flight->result = flight->letter->source->publish(sent.stem, sent.bytes, sent.record);
      },
      [this, flight] { on_published(std::move(flight->letter), *flight->result); });
}

void Outbox::on_published(std::unique_ptr<Letter> letter,
                          const Result<spool::Publication>& result) {
  Group& group = groups_[letter->source];
  if (!result) {
    // Once, not for every answer and every second: the text names a temporary file and always
    // differs.
    if (group.problem.empty()) {
      log_error("{}: answer not published, kept in memory and tried again: {}",
                letter->posting.stem, result.error().message);
    }
    group.problem = result.error().message;
    if (!std::exchange(letter->is_stuck, true)) {
      ++group.stuck;
      ++stuck_count_;
    }
    stuck_.push_back(std::move(letter));
    retry_timer_.start(kRetryPeriod);
    return;
  }
  if (letter->is_stuck) {
    --group.stuck;
    --stuck_count_;
  }
  if (group.stuck == 0 && !group.problem.empty()) {
    log_info("{}: answers are published again", letter->source->name());
    group.problem.clear();
  }
  if (*result == spool::Publication::kAlreadyThere) {
    if (!letter->may_repeat) {
      const auto kept = letter->source->keep_late(letter->posting.stem, letter->posting.bytes);
      log_warn("{}: answered before; this answer was {}", letter->posting.stem,
               kept ? "set aside in worker/late/" : kept.error().message);
    }
    finish(*letter, false);
    return;
  }
  if (!letter->source->is_blocking() || letter->source->is_grouped()) {
    finish(*letter);
    return;
  }
  spool::Source* source = letter->source;
  group.renamed.push_back(std::move(letter));
  sync(source);
}

std::string_view Outbox::problem(const spool::Source& source) const {
  const auto found = groups_.find(&source);
  return found == groups_.end() ? std::string_view() : found->second.problem;
}

void Outbox::sync(spool::Source* source) {
  Group& group = groups_[source];
  if (group.is_syncing || group.renamed.empty()) return;
  group.is_syncing = true;
  struct Flight {
    std::vector<std::unique_ptr<Letter>> letters;
    Result<void> result;
  };
  auto flight = std::make_shared<Flight>(Flight{std::exchange(group.renamed, {}), {}});
  offload([flight, source] { flight->result = source->sync_published(); },
          [this, flight, source] {
            groups_[source].is_syncing = false;
            if (!flight->result) {
              // The names are visible and their bytes are durable; only their survival of a power
              // cut is in doubt, and a second sync could not tell more (the error is reported
              // once).
              log_error("{}: directory not synced: {}", source->name(),
                        flight->result.error().message);
            }
            for (const auto& letter : flight->letters) finish(*letter);
            sync(source);
          });
}

void Outbox::commit(spool::Source* source) {
  Group& group = groups_[source];
  if (group.is_committing || group.gathered.empty()) return;
  group.is_committing = true;
  struct Flight {
    std::vector<std::unique_ptr<Letter>> letters;
    std::vector<spool::Posting> postings;
  };
  auto flight = std::make_shared<Flight>();
  flight->letters = std::exchange(group.gathered, {});
  for (const auto& letter : flight->letters) {
    flight->postings.push_back(std::move(letter->posting));
  }
  offload([flight, source] { source->log(flight->postings); },
          [this, flight, source] {
            on_committed(source, std::move(flight->letters), std::move(flight->postings));
          });
}

void Outbox::on_committed(spool::Source* source, std::vector<std::unique_ptr<Letter>> letters,
                          std::vector<spool::Posting> postings) {
  source->publish_logged(postings);
  groups_[source].is_committing = false;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    Letter& letter = *letters[i];
    letter.posting = std::move(postings[i]);
    const auto result = letter.posting.result;
    if (letter.recorded == nullptr) {
      on_published(std::move(letters[i]), result);
      continue;
    }
    --pending_;
    letter.recorded(result ? Result<void>() : Unexpected(result.error()));
  }
  if (source->wants_checkpoint()) checkpoint(source);
  checkpoint_timer_.start(kCheckpointDelay);
}

void Outbox::checkpoint(spool::Source* source) {
  if (std::exchange(groups_[source].is_checkpointing, true)) return;
  ++pending_;
  auto result = std::make_shared<Result<void>>();
  offload([result, source] { *result = source->checkpoint(); },
          [this, result, source] {
            --pending_;
            groups_[source].is_checkpointing = false;
            if (*result) return;
            log_error("{}: the journal stays: {}", source->name(), result->error().message);
            checkpoint_timer_.start(kCheckpointDelay);
          });
}

void Outbox::checkpoint_idle() {
  for (const auto& [source, group] : groups_) {
    if (!group.is_committing && source->has_journal()) checkpoint(source);
  }
}

void Outbox::flush() {
  for (const auto& [source, group] : groups_) commit(source);
}

void Outbox::finish(const Letter& letter, bool is_first) {
  --pending_;
  letter.done(is_first);
}

void Outbox::retry_stuck() {
  for (auto& letter : std::exchange(stuck_, {})) send(std::move(letter));
}

void Outbox::abandon_stuck() {
  for (const auto& letter : std::exchange(stuck_, {})) {
    log_error("{}: stopped before its answer could be published", letter->posting.stem);
    --pending_;
  }
  retry_timer_.stop();
}

void Outbox::record_start(spool::Source& source, const spool::StartRecordName& record,
                          std::string json, std::function<void(Result<void>)> done) {
  if (!source.is_blocking()) {
    done(source.record_start(record, json));
    return;
  }
  ++pending_;
  if (source.is_grouped()) {
    send(std::make_unique<Letter>(Letter{
        &source, {record.stem, std::move(json), record, true}, nullptr, false, std::move(done)}));
    return;
  }
  auto result = std::make_shared<Result<void>>();
  offload([result, &source, record,
           json = std::move(json)] { *result = source.record_start(record, json); },
          [this, result, done = std::move(done)] {
            --pending_;
            done(*result);
          });
}

}  // namespace filecall::worker
