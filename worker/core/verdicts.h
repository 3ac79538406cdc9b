// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "worker/core/destination_window.h"

namespace filecall::worker {

/// The failures that the worker itself answers with, whatever the command.
Failure bad_input(const RequestFault& fault);
/// `allowed`: the time that the command had. `bound`: the setting that allows no more; empty: the
/// request may ask for more.
Failure out_of_time(std::string_view command, Duration allowed, std::string_view bound = {});
/// Its start could not be recorded, so it was not started; `is_first`: nor was it before.
Failure not_recorded(const Error& why, bool is_first);
Failure cancelled();
/// Its owner may not ask in that root.
Failure no_member();
/// As many of its user wait as may.
Failure too_many_wait(std::size_t waiting_max);
/// The same when its client asks again later: it is retryable, and a pause.
Failure withdrawn();
/// The same of a request that never began.
Failure given_back();
/// The same of a command that ran and may have had effects: nobody may repeat it.
Failure withdrawn_with_effects();
/// A stop ended a command that may have had effects.
Failure interrupted_by_stop();

/// What a failure says about its destination.
Feedback feedback_of(const Failure& failure);

/// The smaller of two limits, of which zero is none.
Duration allowed_time(std::optional<std::int64_t> request_timeout_ms, Duration plan_timeout);

}  // namespace filecall::worker
