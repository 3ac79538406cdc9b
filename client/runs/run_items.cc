// SPDX-License-Identifier: MIT
#include "client/runs/run_items.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <utility>

#include "base/stem.h"
#include "client/core/digest.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/line_reader.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

/// The metadata of the largest request, with its id.
constexpr std::size_t kLineBytesMax = limits::kRequestBytesMax + 4096;

}  // namespace

std::optional<RunItem> parse_run_item(std::string_view line) {
  auto json = parse_json_strict(line, limits::kDepthMax);
  if (!json || !json->is_object()) return std::nullopt;
  const auto id = json->find("request_id");
  if (id == json->end() || !id->is_string()) return std::nullopt;
  RunItem item;
  item.request_id = id->get<std::string>();
  // Else it would name a file of somewhere else.
  if (!is_valid_stem(item.request_id)) return std::nullopt;
  const auto metadata = json->find("metadata");
  if (metadata != json->end()) item.metadata = std::move(*metadata);
  const auto after = json->find("after");
  if (after != json->end() && after->is_array()) {
    for (const Json& one : *after) {
      if (one.is_string()) item.after.push_back(one.get<std::string>());
    }
  }
  const auto any = json->find("after_any");
  item.is_after_end = any != json->end() && *any == "end";
  return item;
}

Result<void> RunItems::check(std::string_view digest, std::int64_t requests) const {
  if (digest == digest_ && requests == requests_) return {};
  return fail(ErrorCode::kDataLoss,
              fmt::format("{}: was changed after the run began: it has {} request{}, the run began "
                          "with {}{}; put the list back, or delete the run with 'filecall runs "
                          "delete' and run the batch again: answers stay",
                          path_, requests, requests == 1 ? "" : "s", requests_,
                          requests == requests_ ? " others" : ""));
}

Result<void> RunItems::each(const std::function<Result<bool>(RunItem)>& visit) const {
  TRY_ASSIGN(UniqueFd fd, open_regular(path_, O_RDONLY));
  LineReader lines(std::move(fd), path_, kLineBytesMax);
  std::int64_t offset = 0;
  Digest digest;
  std::int64_t requests = 0;
  for (;;) {
    TRY_ASSIGN(const auto line, lines.next());
    if (!line) return check(digest.finish(), requests);
    digest.add(line->text);
    digest.add("\n");
    ++requests;
    auto item = parse_run_item(line->text);
    if (!item) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: is no line of a run's list; delete the run with 'filecall "
                              "runs delete' and run the batch again: answers stay",
                              path_, line->number));
    }
    item->offset = offset;
    item->bytes = line->text.size();
    offset += static_cast<std::int64_t>(line->text.size()) + 1;
    TRY_ASSIGN(const bool goes_on, visit(std::move(*item)));
    if (!goes_on) return {};
  }
}

}  // namespace filecall::client
