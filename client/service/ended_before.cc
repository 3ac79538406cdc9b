// SPDX-License-Identifier: MIT
#include "client/service/ended_before.h"

#include <filesystem>
#include <utility>

namespace filecall::client {

EndedLook::EndedLook(spool::Layout layout, LedgerOptions options)
    : layout_(std::move(layout)), options_(std::move(options)) {
  options_.only_reads = true;
}

Result<std::optional<bool>> EndedLook::find(const std::string& id) {
  std::error_code status;
  if (!ledger_ && !std::filesystem::exists(layout_.requests(), status)) {
    return std::optional<bool>();
  }
  if (!ledger_) {
    TRY_ASSIGN(ledger_, Ledger::open(options_));
  }
  TRY_ASSIGN(const auto entry, ledger_->find(id));
  if (!entry || !is_final(entry->state)) return std::optional<bool>();
  return std::optional(entry->state == RequestState::kSuccess);
}

std::vector<std::string> EndedLook::notices() const {
  return ledger_ ? ledger_->notices() : std::vector<std::string>();
}

}  // namespace filecall::client
