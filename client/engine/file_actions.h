// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "client/core/request_machine.h"
#include "client/store/request_row.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::client {

/// The machine's actions on files, each safe to repeat. Blocking; they hold nothing.

/// The id of the control request that cancels `attempt` of `id`: "{id}.cancel-{attempt}", or with a
/// hash in place of the id's end where that would be longer than an id may be.
std::string cancel_id(std::string_view id, int attempt);
/// The row that keeps the control request from being taken for somebody's request.
RequestRow cancel_row(std::string_view id, int attempt, WallTime now);
/// Drops the control request. It may be there already.
Result<void> send_cancel(const spool::Root& root, std::string_view id, int attempt,
                         spool::Durability durability);

/// Copies the response to failed/. False: there is none, or none that can be read as a response;
/// the caller writes its own.
Result<bool> copy_response(const spool::Root& root, std::string_view id,
                           spool::Durability durability);
/// Writes a response object of the client's own to failed/, from the row's error.
Result<void> write_own_failure(const spool::Root& root, const RequestRow& row,
                               spool::Durability durability);
/// Keeps an unreadable response beside failed/'s copies before it may be deleted. True: kept, or
/// kept earlier; false: the response is another one (or gone) by now.
Result<bool> set_aside_response(const spool::Root& root, std::string_view id,
                                const ResponseVersion& version, int attempt,
                                spool::Durability durability);
Result<void> remove_failed_copy(const spool::Root& root, std::string_view id);

}  // namespace filecall::client
