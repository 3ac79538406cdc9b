// SPDX-License-Identifier: MIT
#include "client/store/request_row.h"

namespace filecall::client {

void describe(const RequestRow& row, RequestFacts& facts) {
  facts.request_id = row.request_id;
  facts.command = row.command;
  facts.state = row.progress.state;
  facts.attempts = row.progress.begun_attempts();
  facts.error_code = row.progress.error_code;
  facts.error_message = row.progress.error_message;
  facts.submitted_at = row.submitted_at;
  facts.asked_at = row.asked_at.value_or(row.submitted_at);
  facts.queued_ms = row.queued_ms;
  facts.run_ms = row.run_ms;
  facts.spend = row.spend;
}

}  // namespace filecall::client
