// SPDX-License-Identifier: MIT
#include "client/store/row_codec.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/stem.h"

namespace filecall::client {
namespace {

// The file may be anybody's work: a number beyond what a client writes is cut to that, so that
// sums of it stay within the type.
constexpr std::int64_t kAttemptsMax = 1'000'000'000;
constexpr std::int64_t kCountMax = 1'000'000'000'000;
constexpr double kCostMax = 1e12;  // US$
constexpr std::int64_t kPausedMsMax = 366LL * 24 * 3600 * 1000;
constexpr std::int64_t kUnixMsMax =
    std::chrono::floor<milliseconds>(WallTime::max().time_since_epoch()).count();

std::int64_t to_unix_ms(WallTime time) { return to_ms(time.time_since_epoch()); }
WallTime from_unix_ms(std::int64_t ms) {
  return WallTime(milliseconds(std::clamp<std::int64_t>(ms, 0, kUnixMsMax)));
}

std::int64_t count_column(const Statement& statement, int column, std::int64_t most = kCountMax) {
  return std::clamp<std::int64_t>(statement.integer(column), 0, most);
}

double cost_column(const Statement& statement, int column) {
  const double cost = statement.real(column);
  return cost > 0 ? std::min(cost, kCostMax) : 0;
}

std::optional<std::int64_t> to_column(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return to_unix_ms(*time);
}

std::optional<WallTime> time_column(const Statement& statement, int column) {
  const auto ms = statement.optional_integer(column);
  if (!ms) return std::nullopt;
  return from_unix_ms(*ms);
}

}  // namespace

const std::string_view kRowColumns =
    "request_id, command, state, attempt, owner, batch, content_hash, cancel, error_code, "
    "error_message, spent_inode, spent_mtime_ns, spent_size, copied, queued_ms, run_ms, "
    "submitted_at_ms, changed_at_ms, due_at_ms, finished_at_ms, collected_at_ms, control, "
    "calls, input_tokens, output_tokens, cost, unpriced, pauses, paused_ms, given_back, "
    "asked_at_ms";

RequestRow read_row(const Statement& statement) {
  RequestRow row;
  RequestProgress& progress = row.progress;
  row.request_id = statement.text(0);
  row.command = statement.text(1);
  // The table's CHECK admits no other name.
  progress.state = parse_request_state(statement.text(2)).value_or(RequestState::kNew);
  progress.attempt = static_cast<int>(count_column(statement, 3, kAttemptsMax));
  row.owner = statement.text(4);
  if (!is_valid_stem(row.owner)) row.owner.clear();  // It names a file; nobody of ours.
  row.batch = statement.text(5);
  row.content_hash = statement.text(6);
  progress.cancel = parse_cancel_mark(statement.text(7)).value_or(CancelMark::kNone);
  progress.error_code = parse_error_code(statement.text(8));
  progress.error_message = statement.text(9);
  if (const auto inode = statement.optional_integer(10)) {
    progress.counted_response = AnswerVersion{static_cast<std::uint64_t>(*inode),
                                              {statement.integer(11), statement.integer(12)}};
  }
  progress.copied = statement.integer(13) != 0;
  row.queued_ms = count_column(statement, 14);
  row.run_ms = count_column(statement, 15);
  row.submitted_at = from_unix_ms(statement.integer(16));
  progress.changed_at = from_unix_ms(statement.integer(17));
  progress.due_at = time_column(statement, 18).value_or(WallTime{});
  row.finished_at = time_column(statement, 19);
  row.collected_at = time_column(statement, 20);
  row.is_control = statement.integer(21) != 0;
  row.spend = {count_column(statement, 22), count_column(statement, 23),
               count_column(statement, 24), cost_column(statement, 25),
               count_column(statement, 26)};
  progress.pauses = static_cast<int>(count_column(statement, 27, kAttemptsMax));
  progress.paused = milliseconds(count_column(statement, 28, kPausedMsMax));
  progress.given_back = static_cast<int>(count_column(statement, 29, kAttemptsMax));
  row.asked_at = time_column(statement, 30);
  return row;
}

void bind_row(Statement& put, int before, const RequestRow& row) {
  const RequestProgress& progress = row.progress;
  put.bind(before + 1, row.request_id)
      .bind(before + 2, row.command)
      .bind(before + 3, to_string(progress.state));
  put.bind(before + 4, progress.attempt)
      .bind_or_null(before + 5, row.owner)
      .bind_or_null(before + 6, row.batch);
  put.bind_or_null(before + 7, row.content_hash)
      .bind_or_null(before + 8, to_string(progress.cancel));
  put.bind_or_null(before + 9,
                   progress.error_code ? to_string(*progress.error_code) : std::string_view());
  put.bind_or_null(before + 10, progress.error_message);
  if (progress.counted_response) {
    put.bind(before + 11, static_cast<std::int64_t>(progress.counted_response->copy));
    put.bind(before + 12, progress.counted_response->content[0])
        .bind(before + 13, progress.counted_response->content[1]);
  }
  put.bind(before + 14, progress.copied ? 1 : 0)
      .bind(before + 15, row.queued_ms)
      .bind(before + 16, row.run_ms);
  put.bind(before + 17, to_unix_ms(row.submitted_at))
      .bind(before + 18, to_unix_ms(progress.changed_at));
  if (progress.due_at != WallTime{}) put.bind(before + 19, to_unix_ms(progress.due_at));
  put.bind_or_null(before + 20, to_column(row.finished_at))
      .bind_or_null(before + 21, to_column(row.collected_at));
  put.bind(before + 22, row.is_control ? 1 : 0);
  put.bind(before + 23, row.spend.calls)
      .bind(before + 24, row.spend.input_tokens)
      .bind(before + 25, row.spend.output_tokens);
  put.bind_real(before + 26, row.spend.cost).bind(before + 27, row.spend.unpriced);
  put.bind(before + 28, progress.pauses).bind(before + 29, to_ms(progress.paused));
  put.bind(before + 30, progress.given_back).bind_or_null(before + 31, to_column(row.asked_at));
}

}  // namespace filecall::client
