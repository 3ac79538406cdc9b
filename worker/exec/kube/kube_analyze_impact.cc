// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_analyze_impact.h"

#include <fmt/core.h>

#include <deque>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/impact_reading.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/manifest.h"

namespace filecall::worker::kube {
namespace {

constexpr int kListsAtOnce = 8;
constexpr int kPageSize = 500;
constexpr int kPagesMax = 10;
constexpr std::size_t kPageBytesMax = 64 * 1024 * 1024;

/// A list that is being read, page by page.
struct PendingList {
  ImpactList list;
  std::string next;  ///< Continue token; empty: the first page.
  int pages = 0;
};

class AnalyzeImpactRun final : public KubeRun {
 public:
  explicit AnalyzeImpactRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {
    const Json& depth = member(params_, "depth");
    if (depth.is_number_integer()) options_.depth = depth.get<int>();
    options_.is_folded = text_member(params_, "view") != "all";
    options_.path = text_member(params_, "path");
    if (const auto bytes = count_member(params_, "maxBytes")) {
      options_.bytes_max = static_cast<std::size_t>(*bytes);
    }
  }

  void begin() {
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) {
                found_ = std::move(found);
                read_target();
              });
  }

 private:
  void read_target() {
    name_space_ = choose_namespace(params_, found_.resource->is_namespaced, cluster().access());
    ApiRequest request;
    request.path = object_path(*found_.resource, name_space_, text_member(params_, "name"));
    request.asked = object_kind(*found_.resource);
    send(std::move(request), [this](ApiReply& reply) {
      graph_.add(object_kind(*found_.resource), reply.object());
      plan_lists();
    });
  }

  void plan_lists() {
    const ObjectKind kind = object_kind(*found_.resource);
    ImpactLists wanted = lists_for(graph_.table(), *found_.table, kind,
                                   text_member(params_, "name"), name_space_, options_.depth);
    for (ImpactList& list : wanted.lists) waiting_.push_back({std::move(list), "", 0});
    for (const ObjectKind& left_out : wanted.left_out) {
      unread_.push_back(
          {left_out, "", "the cluster has more kinds of its own than are read", Severity::kNone});
    }
    for (const std::string& version : found_.table->failed()) {
      unread_.push_back({{std::string(group_of(version)), "*"},
                         "",
                         "the cluster does not say what it serves there",
                         Severity::kNone});
    }
    list_count_ = waiting_.size();
    fill();
  }

  /// Keeps some lists in flight; answers when none is left. Nothing may follow a call of it.
  void fill() {
    is_filling_ = true;  // An answer may come before try_send() returns.
    while (in_flight_ < kListsAtOnce && !waiting_.empty()) {
      PendingList pending = std::move(waiting_.front());
      waiting_.pop_front();
      ++in_flight_;
      ApiRequest request;
      request.path = with_query(collection_path(*pending.list.resource, pending.list.name_space),
                                {{"limit", std::to_string(kPageSize)}, {"continue", pending.next}});
      request.asked = object_kind(*pending.list.resource);
      request.body_bytes_max = kPageBytesMax;
      try_send(std::move(request), [this, pending = std::move(pending)](ApiAnswer answer) {
        --in_flight_;
        take(pending, std::move(answer));
        if (!is_filling_) fill();
      });
    }
    is_filling_ = false;
    if (in_flight_ == 0 && waiting_.empty()) finish();
  }

  void take(PendingList pending, ApiAnswer answer) {
    const ObjectKind kind = object_kind(*pending.list.resource);
    if (!answer) {
      const bool is_everywhere =
          pending.list.resource->is_namespaced && pending.list.name_space.empty();
      if (answer.error().code == ErrorCode::kPermissionDenied && is_everywhere &&
          !name_space_.empty()) {
        // At least what lies beside the object.
        note_unread(pending.list, answer.error());
        pending.list.name_space = name_space_;
        waiting_.push_back(std::move(pending));
        return;
      }
      // The list has changed while it was read: the rest of it, as it is now.
      const std::string next = text_member(answer.error().details, "continue");
      if (answer.error().code == ErrorCode::kOutOfRange && !next.empty() &&
          ++pending.pages < kPagesMax) {
        pending.next = next;
        waiting_.push_back(std::move(pending));
        return;
      }
      // "Not found" as well: what the cluster serves is known from minutes ago, and the objects may
      // be served in another version now.
      note_unread(pending.list, answer.error());
      return;
    }
    const Json& body = answer->object();
    if (!is_list(body)) return note_unread(pending.list, no_list());
    const Json& items = member(body, "items");
    for (const Json& item : items) graph_.add(kind, item);
    object_count_ += items.size();
    pending.next = text_member(member(body, "metadata"), "continue");
    if (pending.next.empty()) return;
    if (++pending.pages < kPagesMax) {
      waiting_.push_back(std::move(pending));
      return;
    }
    note_unread(pending.list, fmt::format("more than {} objects", kPagesMax * kPageSize));
  }

  void note_unread(const ImpactList& list, const Failure& failure) {
    note_unread(list, fmt::format("{}: {}", to_string(failure.code), failure.message));
  }
  void note_unread(const ImpactList& list, std::string reason) {
    unread_.push_back(
        {object_kind(*list.resource), list.name_space, std::move(reason), list.may_hide});
  }

  void finish() {
    graph_.link();
    const std::string name = text_member(params_, "name");
    const auto target = graph_.find(object_kind(*found_.resource), name_space_, name);
    if (!target) {
      return fail_with(
          Failure::of({ErrorCode::kUnavailable,
                       fmt::format("the server's response is not an object '{}'", name)}));
    }
    Json data = analyze_impact(graph_, *target, unread_, options_);
    data["identity"] = identity_of(*found_.resource, name_space_, name);
    data["read"] = {{"lists", list_count_}, {"objects", object_count_}};
    succeed(std::move(data));
  }

  const Json params_;
  Cluster::FoundKind found_;
  std::string name_space_;
  ObjectGraph graph_{ReferenceTable::builtin()};
  std::deque<PendingList> waiting_;
  std::vector<UnreadKind> unread_;
  ImpactOptions options_;
  int in_flight_ = 0;
  bool is_filling_ = false;
  std::size_t list_count_ = 0;
  std::size_t object_count_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_kube_analyze_impact(std::shared_ptr<KubeService> service,
                                                   std::string_view schema) {
  return make_kube_executor<AnalyzeImpactRun>(
      {"kube.analyzeImpact",
       "Says what breaks if a Kubernetes or Istio object were deleted, and what could not be read.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
