// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_events.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_run.h"
#include "worker/exec/kube/model/compact.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kEventsDefault = 50;
/// Chunks of this size, this many: the server sorts by name, so the newest may be anywhere.
constexpr int kChunkEvents = 500;
constexpr int kChunksMax = 10;
constexpr std::size_t kEventTextBytes = 2000;
/// More than all events of the largest limit, with such texts.
constexpr std::int64_t kEventsBytesMax = 4 * 1024 * 1024;

/// When it was seen last: the fields differ between writers of events.
std::string time_of(const Json& event) {
  for (const std::string& time :
       {text_member(member(event, "series"), "lastObservedTime"),
        text_member(event, "lastTimestamp"), text_member(event, "eventTime"),
        text_member(event, "firstTimestamp"),
        text_member(member(event, "metadata"), "creationTimestamp")}) {
    if (!time.empty()) return time;
  }
  return "";
}

Json summary_of(const Json& event) {
  const Json& object = member(event, "involvedObject");
  Json summary{{"type", text_member(event, "type")},
               {"reason", text_member(event, "reason")},
               {"message", excerpt(text_member(event, "message"), kEventTextBytes)},
               {"lastSeen", time_of(event)},
               {"count", std::max<std::int64_t>(1, count_member(event, "count").value_or(1))}};
  for (const char* name : {"kind", "name", "namespace", "fieldPath"}) {
    if (const std::string text = text_member(object, name); !text.empty()) {
      summary["object"][name] = text;
    }
  }
  const std::string source = text_member(member(event, "source"), "component");
  summary["source"] = source.empty() ? text_member(event, "reportingComponent") : source;
  return summary;
}

class EventsRun final : public KubeRun {
 public:
  explicit EventsRun(KubeTask task)
      : KubeRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void begin() {
    auto columns = FieldColumns::parse(member(params_, "fields"));
    if (!columns) return fail_with(Failure::of(columns.error()));
    columns_ = *std::move(columns);
    const std::string kind = text_member(params_, "kind");
    if (kind.empty()) return read(nullptr);
    find_kind(kind, text_member(params_, "apiVersion"), [this](Cluster::FoundKind found) {
      found_ = std::move(found);
      read(found_.resource);
    });
  }

 private:
  void read(const Resource* of) {
    const bool is_namespaced = of == nullptr || of->is_namespaced;
    const bool is_everywhere = member(params_, "allNamespaces") == Json(true);
    // Events of an object without a namespace stand in whatever namespace their writer chose.
    name_space_ = is_everywhere ? "" : choose_namespace(params_, is_namespaced, cluster().access());
    std::vector<std::string> fields;
    if (of != nullptr) fields.push_back("involvedObject.kind=" + of->kind);
    if (const std::string name = text_member(params_, "name"); !name.empty()) {
      fields.push_back("involvedObject.name=" + name);
    }
    if (const std::string type = text_member(params_, "type"); !type.empty()) {
      fields.push_back("type=" + type);
    }
    selector_ = fmt::format("{}", fmt::join(fields, ","));
    read_chunk("");
  }

  void read_chunk(const std::string& token) {
    const Resource events = core_resource("Event", "events");
    ApiRequest request;
    request.path =
        with_query(collection_path(events, name_space_), {{"limit", std::to_string(kChunkEvents)},
                                                          {"fieldSelector", selector_},
                                                          {"continue", token}});
    request.asked = object_kind(events);
    ++chunks_;
    send(std::move(request), [this](ApiReply& reply) { take_chunk(reply.object()); });
  }

  void take_chunk(const Json& list) {
    if (!is_list(list)) return fail_with(no_list());
    for (const Json& event : member(list, "items")) {
      found_events_.push_back(
          {time_of(event), columns_.is_empty() ? summary_of(event) : columns_.row_of(event)});
    }
    const std::string token = text_member(member(list, "metadata"), "continue");
    if (!token.empty() && chunks_ < kChunksMax) return read_chunk(token);
    answer(token.empty());
  }

  void answer(bool is_complete) {
    // RFC 3339 in UTC sorts as text, up to the fraction, which few writers give.
    std::ranges::stable_sort(found_events_, std::greater<>(), &FoundEvent::time);
    const auto limit =
        static_cast<std::size_t>(count_member(params_, "limit").value_or(kEventsDefault));
    const std::size_t total = found_events_.size();
    if (total > limit) found_events_.resize(limit);
    keep_bytes();
    Json data{{"returned", found_events_.size()},
              {"total", total},
              {"complete", is_complete && total == found_events_.size()},
              {"untrusted", true}};
    if (!columns_.is_empty()) data["columns"] = columns_.names();
    Json& shown = data[columns_.is_empty() ? "events" : "rows"] = Json::array();
    for (FoundEvent& event : found_events_) shown.push_back(std::move(event.shown));
    if (!name_space_.empty()) data["namespace"] = name_space_;
    check_namespace(total == 0 ? name_space_ : "", [this, data](const Json& more) mutable {
      data.update(more);
      succeed(std::move(data));
    });
  }

  /// The newest that fit into `maxBytes`.
  void keep_bytes() {
    auto left =
        static_cast<std::size_t>(count_member(params_, "maxBytes").value_or(kEventsBytesMax));
    const auto is_too_much = [&](const FoundEvent& event) {
      const std::size_t bytes = dump_json(event.shown).size() + 1;
      if (bytes > left) return true;
      left -= bytes;
      return false;
    };
    found_events_.erase(std::ranges::find_if(found_events_, is_too_much), found_events_.end());
  }

  struct FoundEvent {
    std::string time;
    Json shown;
  };

  const Json params_;
  FieldColumns columns_;
  Cluster::FoundKind found_;
  std::string name_space_;
  std::string selector_;
  int chunks_ = 0;
  std::vector<FoundEvent> found_events_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_events(std::shared_ptr<KubeService> service,
                                           std::string_view schema) {
  return make_kube_executor<EventsRun>(
      {"kube.events", "Reads the events of an object or a namespace, newest first.", schema,
       Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
