// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "client/channel/directory_channel.h"
#include "client/core/request_machine.h"
#include "client/engine/owner_lock.h"
#include "client/service/ledger.h"
#include "client/store/state_store.h"
#include "spool/root.h"

namespace filecall::client {

/// The ledger on a root and its database. ledger.cc reads, ledger_change.cc changes single
/// requests, ledger_gc.cc collects.
class RootLedger final : public Ledger {
 public:
  RootLedger(const LedgerOptions& options, spool::Root root, std::unique_ptr<StateStore> store);

  const std::vector<std::string>& notices() const override { return store_->notices(); }
  Result<RequestCount> count(const CountOptions& options) override {
    return count_requests(root_, *store_, options);
  }
  Result<void> for_each(const EntryFilter& filter,
                        const std::function<bool(const RequestEntry&)>& visit) override;
  Result<void> for_each(const EntryFilter& filter, spool::NameList names,
                        const std::function<bool(const RequestEntry&)>& visit) override;
  Result<std::optional<RequestEntry>> find(std::string_view id) override;
  Result<RequestDetails> show(std::string_view id) override;
  Result<std::vector<IdResult>> retry(const std::vector<std::string>& ids) override;
  Result<std::vector<IdResult>> retry_failed(std::string_view batch) override;
  Result<CancelEffect> cancel(std::string_view id, Duration patience) override;
  Result<GcReport> gc(const GcOptions& options) override;

 private:
  bool is_alive(const std::string& owner);
  RequestEntry entry_of(const RequestRow& row);
  /// What the files say of an id that has no row; nullopt: there is no request file.
  Result<std::optional<RequestRow>> infer(std::string_view id);
  /// The same for a request that a listing named.
  Result<std::optional<RequestRow>> infer_listed(std::string_view id);
  /// The row, or what the files say.
  Result<std::optional<RequestRow>> find_or_infer(std::string_view id);
  /// Rows and rowless requests in order of id, tombstones and control requests too. `names`: all
  /// in requests/.
  Result<void> walk(spool::NameList names,
                    const std::function<Result<bool>(const RequestRow&, bool inferred)>& visit);

  /// Lets the machine decide, makes the row durable, does what follows.
  Result<void> advance(RequestRow& row, const Event& event);
  Result<void> retry_one(const std::string& id);
  Result<CancelEffect> cancel_foreign(const std::string& id, Duration patience);
  Result<CancelEffect> cancel_own(RequestRow row, Duration patience);
  /// Removes the files of final requests and leaves tombstones; empties `rows`.
  Result<void> collect(std::vector<RequestRow>& rows, bool dry_run, GcReport& report);

  LedgerOptions options_;
  spool::Root root_;
  DirectoryChannel channel_;
  std::unique_ptr<StateStore> store_;
  Random random_;
  std::map<std::string, bool, std::less<>> liveness_;  ///< Remembered within one operation.
};

}  // namespace filecall::client
