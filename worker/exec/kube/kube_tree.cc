// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_tree.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_list_run.h"
#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/object_tree.h"
#include "worker/exec/kube/tree_reading.h"

namespace filecall::worker::kube {
namespace {

/// Owners are few; a circle of them has no end.
constexpr std::size_t kOwnersMax = 50;

class TreeRun final : public KubeListRun {
 public:
  explicit TreeRun(KubeTask task)
      : KubeListRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    find_kind(text_member(params_, "kind"), text_member(params_, "apiVersion"),
              [this](Cluster::FoundKind found) {
                found_ = std::move(found);
                if (auto refused = refuse_verb(*found_.resource, "get")) {
                  return fail_with(std::move(*refused));
                }
                read_target();
              });
  }

 private:
  struct Owner {
    Json reference;
    int distance = 1;
  };

  void read_target() {
    name_space_ = choose_namespace(params_, found_.resource->is_namespaced, cluster().access());
    ApiRequest request;
    request.path = object_path(*found_.resource, name_space_, text_member(params_, "name"));
    request.asked = object_kind(*found_.resource);
    send(std::move(request), [this](ApiReply& reply) {
      const Json& object = reply.object();
      uids_.insert(text_member(member(object, "metadata"), "uid"));
      add_owners(object, 1);
      graph_.add(object_kind(*found_.resource), object);
      read_owners();
    });
  }

  void add_owners(const Json& object, int distance) {
    const Json& owners = member(member(object, "metadata"), "ownerReferences");
    if (!owners.is_array()) return;
    for (const Json& owner : owners) {
      if (uids_.size() > kOwnersMax) {
        note_unread({"", text_member(owner, "kind")}, "",
                    "the object has more owners than are read");
        return;
      }
      if (uids_.insert(text_member(owner, "uid")).second)
        waiting_owners_.push_back({owner, distance});
    }
  }

  /// One after the other, the nearest first.
  void read_owners() {
    if (waiting_owners_.empty()) return read_everything();
    const Owner owner = std::move(waiting_owners_.front());
    waiting_owners_.pop_front();
    Json row{{"distance", owner.distance},
             {"kind", text_member(owner.reference, "kind")},
             {"apiVersion", text_member(owner.reference, "apiVersion")},
             {"name", text_member(owner.reference, "name")}};
    if (member(owner.reference, "controller") == Json(true)) row["controller"] = true;
    if (!mistake_of_name(text_member(owner.reference, "name")).empty()) {
      row["exists"] = false;
      row["why"] = "no object can have this name";
      return next_owner(std::move(row));
    }
    find_owner(owner, std::move(row), text_member(owner.reference, "apiVersion"));
  }

  void next_owner(Json row) {
    owners_.push_back(std::move(row));
    read_owners();
  }

  /// `api_version`: that of the reference, or another in which its kind is served now.
  void find_owner(const Owner& owner, Json row, const std::string& api_version) {
    try_find_kind(text_member(owner.reference, "kind"), api_version,
                  [this, owner, row = std::move(row),
                   api_version](Result<Cluster::FoundKind, Failure> found) mutable {
                    if (found) return read_owner(owner, std::move(row), *found->resource);
                    const Json& served = member(found.error().details, "served");
                    if (served.is_array() && !served.empty() && served[0] != Json(api_version)) {
                      return find_owner(owner, std::move(row), served[0].get<std::string>());
                    }
                    note_no_kind(row, found.error());
                    next_owner(std::move(row));
                  });
  }

  void read_owner(const Owner& owner, Json row, const Resource& resource) {
    ApiRequest request;
    request.path = object_path(resource, resource.is_namespaced ? name_space_ : "",
                               text_member(owner.reference, "name"));
    request.asked = object_kind(resource);
    try_send(std::move(request), [this, owner, row = std::move(row)](ApiAnswer answer) mutable {
      take_owner(owner, row, std::move(answer));
      next_owner(std::move(row));
    });
  }

  /// A kind that is not served has no objects; what a group serves that does not answer is not
  /// known.
  void note_no_kind(Json& row, const Failure& failure) {
    const std::string group(group_of(text_member(row, "apiVersion")));
    const bool is_unknown = text_member(failure.details, "reason") == "UnknownKind";
    const Json& unreachable = member(failure.details, "unreachable");
    const bool may_be_served =
        unreachable.is_array() && std::ranges::any_of(unreachable, [&](const Json& version) {
          return version.is_string() && group_of(version.get_ref<const std::string&>()) == group;
        });
    if (is_unknown && !may_be_served) {
      row["exists"] = false;
      row["why"] = "the cluster does not serve this kind";
      return;
    }
    row["exists"] = nullptr;
    row["why"] =
        is_unknown ? "the cluster does not say now what it serves in this group" : failure.message;
    note_unread({group, text_member(row, "kind")}, "", text_member(row, "why"));
  }

  void take_owner(const Owner& owner, Json& row, ApiAnswer answer) {
    if (answer) {
      const Json& object = answer->object();
      const bool is_same =
          text_member(member(object, "metadata"), "uid") == text_member(owner.reference, "uid");
      row["exists"] = is_same;
      if (!is_same) row["why"] = "another object has this name now";
      if (is_same) add_owners(object, owner.distance + 1);
    } else if (answer.error().code == ErrorCode::kNotFound) {
      row["exists"] = false;
    } else {
      row["exists"] = nullptr;
      row["why"] = answer.error().message;
      note_unread({std::string(group_of(text_member(row, "apiVersion"))), text_member(row, "kind")},
                  "", answer.error().message);
    }
  }

  void read_everything() {
    TreeLists wanted = tree_lists(graph_.table(), *found_.table, object_kind(*found_.resource),
                                  text_member(params_, "name"), name_space_);
    for (const ObjectKind& kind : wanted.left_out) {
      note_unread(kind, "", "the cluster has more kinds of its own than are read");
    }
    for (const std::string& version : found_.table->failed()) {
      note_unread({std::string(group_of(version)), "*"}, "",
                  "the cluster does not say what it serves there");
    }
    std::vector<WantedList> lists;
    for (const TreeList& list : wanted.lists) {
      WantedList one{list.resource, list.name_space};
      if (list.is_metadata_only) one.accept = kMetadataAccept;
      one.fallback = name_space_;
      lists.push_back(std::move(one));
    }
    list_count_ = lists.size();
    read_lists(
        std::move(lists),
        [this](const WantedList& list, const Json& items) {
          object_count_ += items.size();
          for (const Json& item : items) graph_.add(object_kind(*list.resource), item);
        },
        [this] { finish(); });
  }

  void finish() {
    graph_.link();
    const std::string name = text_member(params_, "name");
    const auto target = graph_.find(object_kind(*found_.resource), name_space_, name);
    if (!target) {
      return fail_with(
          Failure::of({ErrorCode::kUnavailable, "the server's response is not that object"}));
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const GraphObject& object = graph_.at(i);
      if (object.is_cut) {
        note_unread(object.kind, object.ns, object.name + " refers to more than is looked at");
      }
    }
    TreeLimits limits;
    limits.depth = static_cast<int>(count_member(params_, "depth").value_or(limits.depth));
    limits.bytes_max = static_cast<std::size_t>(
        count_member(params_, "maxBytes").value_or(static_cast<std::int64_t>(limits.bytes_max)));
    Json data = describe_tree(graph_, *target, limits);
    data["identity"] = identity_of(*found_.resource, name_space_, name);
    data["owners"] = std::move(owners_);
    data["read"] = {{"lists", list_count_}, {"objects", object_count_}};
    if (!unread().empty()) {
      data["complete"] = false;
      data["unread"] = unread_json();
    }
    succeed(std::move(data));
  }

  const Json params_;
  Cluster::FoundKind found_;
  std::string name_space_;
  ObjectGraph graph_{ReferenceTable::builtin()};
  std::deque<Owner> waiting_owners_;
  std::set<std::string> uids_;
  Json owners_ = Json::array();
  std::size_t list_count_ = 0;
  std::size_t object_count_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_kube_tree(std::shared_ptr<KubeService> service,
                                         std::string_view schema) {
  return make_kube_executor<TreeRun>(
      {"kube.tree",
       "Shows who owns an object, what it owns, directly or not, and what else refers to it.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
