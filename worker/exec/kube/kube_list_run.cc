// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_list_run.h"

#include <fmt/core.h>

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"

namespace filecall::worker::kube {
namespace {

constexpr int kListRunAtOnce = 8;
constexpr int kListRunPageSize = 500;
constexpr int kListRunPagesMax = 10;
constexpr std::size_t kListRunPageBytes = 64 * 1024 * 1024;

}  // namespace

void KubeListRun::read_lists(std::vector<WantedList> lists, Take take, std::function<void()> then) {
  for (WantedList& list : lists) waiting_.push_back({std::move(list), "", 0});
  take_ = std::move(take);
  then_ = std::move(then);
  fill();
}

void KubeListRun::note_unread(ObjectKind kind, std::string name_space, std::string why) {
  unread_.push_back({std::move(kind), std::move(name_space), std::move(why)});
}

void KubeListRun::note_unread(ObjectKind kind, std::string name_space, const Failure& failure) {
  unread_.push_back({std::move(kind), std::move(name_space),
                     fmt::format("{}: {}", to_string(failure.code), failure.message), failure.code,
                     failure.is_retryable()});
}

Json KubeListRun::unread_json() const {
  Json out = Json::array();
  for (const UnreadList& list : unread_) {
    Json row{{"kind", list.kind.kind}, {"why", list.why}};
    if (!list.kind.group.empty()) row["group"] = list.kind.group;
    if (!list.name_space.empty()) row["namespace"] = list.name_space;
    out.push_back(std::move(row));
  }
  return out;
}

void KubeListRun::fill() {
  is_filling_ = true;  // An answer may come before try_send() returns.
  while (in_flight_ < kListRunAtOnce && !waiting_.empty()) {
    Pending pending = std::move(waiting_.front());
    waiting_.pop_front();
    ++in_flight_;
    const WantedList& list = pending.list;
    ApiRequest request;
    request.path = with_query(collection_path(*list.resource, list.name_space),
                              {{"limit", std::to_string(kListRunPageSize)},
                               {"continue", pending.next},
                               {"labelSelector", list.label_selector},
                               {"fieldSelector", list.field_selector}});
    request.accept = list.accept;
    request.asked = object_kind(*list.resource);
    request.body_bytes_max = kListRunPageBytes;
    try_send(std::move(request), [this, pending = std::move(pending)](ApiAnswer answer) {
      --in_flight_;
      take_answer(pending, std::move(answer));
      if (!is_filling_) fill();
    });
  }
  is_filling_ = false;
  if (in_flight_ == 0 && waiting_.empty()) std::exchange(then_, nullptr)();
}

void KubeListRun::take_answer(Pending pending, ApiAnswer answer) {
  const WantedList& list = pending.list;
  const ObjectKind kind = object_kind(*list.resource);
  if (!answer) {
    const Failure& failure = answer.error();
    // The list has changed while it was read: the rest of it, as it is now.
    const std::string next = text_member(failure.details, "continue");
    if (failure.code == ErrorCode::kOutOfRange && !next.empty() &&
        ++pending.pages < kListRunPagesMax) {
      pending.next = next;
      return waiting_.push_back(std::move(pending));
    }
    note_unread(kind, list.name_space, failure);
    if (failure.code == ErrorCode::kPermissionDenied && list.name_space.empty() &&
        list.resource->is_namespaced && !list.fallback.empty()) {
      pending.list.name_space = pending.list.fallback;
      waiting_.push_back(std::move(pending));
    }
    return;
  }
  const Json& body = answer->object();
  if (!is_list(body)) return note_unread(kind, list.name_space, no_list());
  if (const Json& items = member(body, "items"); items.is_array()) take_(list, items);
  pending.next = text_member(member(body, "metadata"), "continue");
  if (pending.next.empty()) return;
  if (++pending.pages < kListRunPagesMax) return waiting_.push_back(std::move(pending));
  note_unread(kind, list.name_space,
              fmt::format("more than {} objects", kListRunPagesMax * kListRunPageSize));
}

}  // namespace filecall::worker::kube
