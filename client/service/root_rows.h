// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/store/request_row.h"
#include "client/store/state_store.h"
#include "spool/name_list.h"
#include "spool/root.h"

namespace filecall::client {

/// The requests of a root as rows: those of the database and, for requests that it does not know,
/// what the files show. Reads only. Blocking; one thread.
class RootRows {
 public:
  /// Both must outlive it.
  RootRows(const spool::Root& root, StateStore& store) : root_(root), store_(store) {}

  struct Found {
    RequestRow row;
    bool is_inferred = false;  ///< Not in the database.
    /// GAVE_UP by an error that no client has counted: the first attempt of who drives it next.
    bool is_undriven = false;
  };
  /// nullopt: neither a row nor a request file. An error that no client drives is an end: nobody
  /// will try again. (Who drives it next counts it as the first attempt.)
  Result<std::optional<Found>> find(std::string_view id);
  /// All in order of id, tombstones and control requests too. `names`: all in requests/. `visit`
  /// returns false to stop.
  Result<void> walk(spool::NameList names,
                    const std::function<Result<bool>(const RequestRow&, bool is_inferred)>& visit);

  /// Whether a row's client lives, as found since forget_owners(). Nobody does not.
  bool is_alive(const std::string& owner);
  /// At the beginning of each operation.
  void forget_owners() { owners_.clear(); }

 private:
  /// What nobody began, or began again, and a worker answered nevertheless, has that outcome.
  void take_answer(RequestRow& row);
  /// Of a request that a listing named; nullopt: it is gone.
  Result<std::optional<RequestRow>> infer_listed(std::string_view id);

  const spool::Root& root_;
  StateStore& store_;
  std::map<std::string, bool, std::less<>> owners_;  ///< Whether they live.
};

}  // namespace filecall::client
