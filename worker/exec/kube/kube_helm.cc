// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_helm.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/client/near_names.h"
#include "worker/exec/kube/kube_executor.h"
#include "worker/exec/kube/kube_list_run.h"
#include "worker/exec/kube/model/compact.h"
#include "worker/exec/kube/model/helm_storage.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kReleasesDefault = 50;
constexpr int kReleasesAtOnce = 4;
constexpr std::int64_t kReleaseBytesDefault = 32 * 1024;
constexpr std::size_t kStoredBytesMax = 16 * 1024 * 1024;

/// One revision of a release, where Helm keeps it.
struct StoredRevision {
  const Resource* resource = nullptr;
  std::string name_space;
  std::string object;
  std::string release;
  std::int64_t revision = 0;
};

/// A command about releases: first the names of all objects that hold one are read.
class HelmRun : public KubeListRun {
 protected:
  explicit HelmRun(KubeTask& task)
      : KubeListRun(std::move(task.cluster), std::move(task.done)), params_(task.params) {}

  void find_revisions(const std::string& name_space, std::function<void()> then) {
    std::vector<WantedList> lists;
    for (const Resource* resource : {&secrets_, &maps_}) {
      WantedList list{resource, name_space, kMetadataAccept};
      list.label_selector = "owner=helm";
      lists.push_back(std::move(list));
    }
    read_lists(
        std::move(lists),
        [this](const WantedList& list, const Json& items) {
          for (const Json& item : items) {
            const Json& metadata = member(item, "metadata");
            const std::string object = text_member(metadata, "name");
            auto name = parse_helm_object_name(object);
            if (!name) continue;
            revisions_.push_back({list.resource, text_member(metadata, "namespace"), object,
                                  std::move(name->release), name->revision});
          }
        },
        std::move(then));
  }

  ApiRequest request_of(const StoredRevision& stored) const {
    ApiRequest request;
    request.path = object_path(*stored.resource, stored.name_space, stored.object);
    request.asked = object_kind(*stored.resource);
    request.body_bytes_max = kStoredBytesMax;
    return request;
  }

  const Json params_;
  const Resource secrets_ = core_resource("Secret", "secrets");
  const Resource maps_ = core_resource("ConfigMap", "configmaps");
  std::vector<StoredRevision> revisions_;
};

class HelmReleasesRun final : public HelmRun {
 public:
  explicit HelmReleasesRun(KubeTask task) : HelmRun(task) {}

  void begin() {
    const bool is_everywhere = member(params_, "allNamespaces") == Json(true);
    name_space_ = is_everywhere ? "" : choose_namespace(params_, true, cluster().access());
    find_revisions(name_space_, [this] { choose(); });
  }

 private:
  /// The latest revision of each.
  void choose() {
    std::map<std::tuple<std::string, std::string, const Resource*>, const StoredRevision*> latest;
    for (const StoredRevision& stored : revisions_) {
      const StoredRevision*& known = latest[{stored.name_space, stored.release, stored.resource}];
      if (known == nullptr || known->revision < stored.revision) known = &stored;
    }
    const auto limit =
        static_cast<std::size_t>(count_member(params_, "limit").value_or(kReleasesDefault));
    for (const auto& [key, stored] : latest) {
      if (chosen_.size() < limit) chosen_.push_back(stored);
    }
    left_out_ = latest.size() - chosen_.size();
    rows_ = Json::array();
    for (const StoredRevision* stored : chosen_) rows_.push_back(row_of(*stored, Json::object()));
    read_next();
  }

  /// Nothing may follow a call of it.
  void read_next() {
    is_reading_ = true;  // An answer may come before try_send() returns.
    while (in_flight_ < kReleasesAtOnce && next_ < chosen_.size()) {
      const std::size_t index = next_++;
      ++in_flight_;
      try_send(request_of(*chosen_[index]), [this, index](ApiAnswer answer) {
        --in_flight_;
        take(index, std::move(answer));
        if (!is_reading_) read_next();
      });
    }
    is_reading_ = false;
    if (in_flight_ == 0 && next_ == chosen_.size()) finish();
  }

  void take(std::size_t index, ApiAnswer answer) {
    const StoredRevision& stored = *chosen_[index];
    std::string why = answer ? "" : answer.error().message;
    if (answer) {
      const auto release = answer->helm_release();
      if (release) {
        rows_[index] = row_of(stored, *release);
        return;
      }
      why = release.error().message;
    }
    problems_.push_back(
        {{"name", stored.release}, {"object", stored.object}, {"why", std::move(why)}});
  }

  Json row_of(const StoredRevision& stored, const Json& release) const {
    const auto cell = [&release](const char* name) {
      const std::string text = text_member(release, name);
      return text.empty() ? Json() : Json(text);
    };
    Json row = Json::array();
    if (name_space_.empty()) row.push_back(stored.name_space);
    row.push_back(stored.release);
    row.push_back(stored.revision);
    for (const char* name : {"status", "chart", "chartVersion", "appVersion", "lastDeployed"}) {
      row.push_back(cell(name));
    }
    return row;
  }

  void finish() {
    Json data = Json::object();
    data["columns"] = Json::array(
        {"name", "revision", "status", "chart", "chartVersion", "appVersion", "lastDeployed"});
    if (name_space_.empty()) {
      data["columns"].insert(data["columns"].begin(), "namespace");
    } else {
      data["namespace"] = name_space_;
    }
    data["returned"] = rows_.size();
    data["complete"] = left_out_ == 0 && problems_.empty() && unread().empty();
    if (left_out_ > 0) data["left_out"] = left_out_;
    if (!unread().empty()) data["unread"] = unread_json();
    if (!problems_.empty()) data["problems"] = std::move(problems_);
    const bool is_empty = rows_.empty() && unread().empty();
    data["rows"] = std::move(rows_);
    check_namespace(is_empty ? name_space_ : "", [this, data](const Json& more) mutable {
      data.update(more);
      succeed(std::move(data));
    });
  }

  std::string name_space_;
  std::vector<const StoredRevision*> chosen_;
  std::size_t left_out_ = 0;
  Json rows_;
  Json problems_ = Json::array();
  std::size_t next_ = 0;
  int in_flight_ = 0;
  bool is_reading_ = false;
};

class HelmReleaseRun final : public HelmRun {
 public:
  explicit HelmReleaseRun(KubeTask task) : HelmRun(task) {}

  void begin() {
    for (const Json& field : member(params_, "fields")) {
      auto path = parse_field(field.get<std::string>());
      if (!path) return fail_with(Failure::of(path.error()));
      fields_.emplace_back(field.get<std::string>(), *std::move(path));
    }
    name_space_ = choose_namespace(params_, true, cluster().access());
    find_revisions(name_space_, [this] { choose(); });
  }

 private:
  void choose() {
    const std::string name = text_member(params_, "name");
    const auto wanted = count_member(params_, "revision");
    const StoredRevision* chosen = nullptr;
    for (const StoredRevision& stored : revisions_) {
      if (stored.release != name) continue;
      history_.insert(stored.revision);
      const bool fits = !wanted || stored.revision == *wanted;
      if (fits && (chosen == nullptr || chosen->revision < stored.revision)) chosen = &stored;
    }
    if (chosen == nullptr) return tell_absence(name);
    revision_ = chosen->revision;
    storage_ = chosen->resource->kind;
    send(request_of(*chosen), [this](ApiReply& reply) {
      auto release = reply.helm_release();
      if (!release) {
        return fail_with(Failure::of({ErrorCode::kFailedPrecondition,
                                      "the release cannot be read: " + release.error().message}));
      }
      answer(*std::move(release), reply.masked());
    });
  }

  void tell_absence(const std::string& name) {
    // Where one kind of storage may not be read, the release may be there.
    if (!unread().empty()) {
      const UnreadList& first = unread().front();
      const bool has_code = first.code != ErrorCode::kUnknown;
      Failure failure = Failure::of(
          {has_code ? first.code : ErrorCode::kFailedPrecondition,
           fmt::format("no release '{}' is seen, and not all could be read: {}", name, first.why)});
      failure.retryable = first.is_retryable;
      failure.details = Json{{"unread", unread_json()}};
      return fail_with(std::move(failure));
    }
    Failure failure = Failure::of(
        {ErrorCode::kNotFound,
         history_.empty()
             ? fmt::format("Helm has no release '{}' in namespace '{}'", name, name_space_)
             : fmt::format("/params/revision: release '{}' has no such revision; {} is the latest",
                           name, *history_.rbegin())});
    std::set<std::string> names;
    for (const StoredRevision& stored : revisions_) names.insert(stored.release);
    if (history_.empty()) add_near_names(failure, name, {names.begin(), names.end()});
    check_namespace(names.empty() ? name_space_ : "",
                    [this, failure = std::move(failure)](const Json& more) mutable {
                      if (more.contains("hint"))
                        failure.message += "; " + text_member(more, "hint");
                      fail_with(std::move(failure));
                    });
  }

  void answer(Json release, Json masked) {
    const auto bytes_max =
        static_cast<std::size_t>(count_member(params_, "maxBytes").value_or(kReleaseBytesDefault));
    Json data = std::move(release);
    data["revision"] = revision_;
    data["storage"] = storage_;
    data["history"] = history_;
    add_objects(data, bytes_max / 2);
    Json cut = Json::array();
    SanitizeLimits limits;
    limits.bytes_max = std::max<std::size_t>(1024, bytes_max / 2);
    if (!fields_.empty()) {
      // Before anything is cut for its size.
      Json shown = Json::object();
      for (const auto& [text, path] : fields_) {
        shown[text] = shortened(value_at(data, text, path), limits, cut);
      }
      data.erase("values");
      data.erase("objects");
      data.erase("objectColumns");
      data["fields"] = std::move(shown);
    } else {
      data["values"] = shortened(std::move(data["values"]), limits, cut);
    }
    data["complete"] = cut.empty() && unread().empty() && !data.contains("unreadable") &&
                       !data.contains("valuesHidden") && !data.contains("objectsLeftOut");
    if (!cut.empty()) data["cut"] = std::move(cut);
    if (!unread().empty()) data["unread"] = unread_json();
    if (!masked.empty()) data["masked"] = std::move(masked);
    succeed(std::move(data));
  }

  static void add_objects(Json& data, std::size_t bytes_max) {
    Json rows = Json::array();
    std::size_t bytes = 0;
    std::size_t left_out = 0;
    for (const Json& object : data["objects"]) {
      Json row = Json::array({text_member(object, "apiVersion"), text_member(object, "kind"),
                              text_member(object, "name"), text_member(object, "namespace"),
                              object.contains("hook")});
      bytes += dump_json(row).size() + 1;
      if (bytes > bytes_max) {
        ++left_out;
        continue;
      }
      rows.push_back(std::move(row));
    }
    data["objectColumns"] = Json::array({"apiVersion", "kind", "name", "namespace", "hook"});
    data["objects"] = std::move(rows);
    if (left_out > 0) data["objectsLeftOut"] = left_out;
  }

  std::string name_space_;
  std::vector<std::pair<std::string, FieldPath>> fields_;
  std::set<std::int64_t> history_;
  std::int64_t revision_ = 0;
  std::string storage_;
};

}  // namespace

std::unique_ptr<Executor> make_kube_helm_release(std::shared_ptr<KubeService> service,
                                                 std::string_view schema) {
  return make_kube_executor<HelmReleaseRun>(
      {"kube.helmRelease",
       "Reads one release of Helm: chart, status, values without secrets, and its objects.", schema,
       Effects::kNone, Risk::kLow},
      std::move(service));
}

std::unique_ptr<Executor> make_kube_helm_releases(std::shared_ptr<KubeService> service,
                                                  std::string_view schema) {
  return make_kube_executor<HelmReleasesRun>(
      {"kube.helmReleases", "Lists the releases of Helm: revision, status and chart of each.",
       schema, Effects::kNone, Risk::kLow},
      std::move(service));
}

}  // namespace filecall::worker::kube
