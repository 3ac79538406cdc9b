// SPDX-License-Identifier: MIT
#include <utility>

#include "client/core/cache_identity.h"
#include "client/core/cached_answer.h"
#include "client/engine/answer_cache.h"
#include "client/engine/session.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "os/io.h"

namespace filecall::client {

// The answer is written before the row says SUCCESS: a row without an answer is never there.
Result<bool> Session::answer_from_cache(Flight& flight) {
  if (cache_ == nullptr || flight.bytes.empty()) return false;
  const auto identity = cache_identity(flight.bytes, options_.cache_all);
  if (!identity) return false;
  flight.cache_identity = *identity;
  if (flight.row.progress.state != RequestState::kNew) return false;
  auto data = cache_->find(*identity, [this](const auto& text) { observer_.on_notice(text); });
  if (!data) return false;
  const std::string& id = flight.row.request_id;
  TRY(make_directories(root_.layout().client_answers()));
  TRY_ASSIGN(const UniqueFd folder,
             open_file(root_.layout().client_answers(), O_RDONLY | O_DIRECTORY));
  TRY(spool::replace_file(folder.get(), spool::Layout::file_name(id),
                          render_cached_answer(id, flight.bytes, std::move(*data)),
                          options_.durability));
  flight.row.progress.state = RequestState::kSuccess;
  flight.row.finished_at = wall_now();
  flight.row.owner.clear();
  flight.is_cached = true;
  return true;
}

void Session::keep_in_cache(const Flight& flight, const Response& response) {
  if (cache_ == nullptr || flight.cache_identity.empty() || !response.is_success()) return;
  if (!is_cacheable_answer(response.data)) return;
  cache_->store(flight.cache_identity, response.data,
                [this](const auto& text) { observer_.on_notice(text); });
}

}  // namespace filecall::client
