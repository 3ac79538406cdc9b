// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_owned_write.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/model/object_managers.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kAutoscalersMax = 500;

}  // namespace

void OwnedWriteRun::warn_of_managers(const Json& object) {
  std::vector<FieldOwners::Fields> managers;
  // Names alone are looked at, and none of them is shown.
  const auto owners =
      FieldOwners::read(earlier(), [](std::string_view text) { return std::string(text); });
  if (owners) managers = owners->managers();
  for (std::string& text : manager_warnings(object, managers)) warn(std::move(text));
}

void OwnedWriteRun::add_field_owners(const WritePlan& plan, const ApiReply& after, Json& data) {
  const auto scrub = [&after](std::string_view text) { return after.scrub(text); };
  const auto taken = [&]() -> Result<std::vector<FieldOwners::Fields>> {
    if (earlier().is_null()) {
      return fail(ErrorCode::kUnimplemented, "the object could not be read before the write");
    }
    TRY_ASSIGN(const FieldOwners before, FieldOwners::read(earlier(), scrub));
    TRY_ASSIGN(const FieldOwners now, FieldOwners::read(after.unredacted_for_a_write(), scrub));
    const bool is_apply = plan.content_type == kApplyContentType;
    return before.taken_by({options().field_manager, is_apply ? "Apply" : "Update", ""}, now);
  };
  say_owners(taken(), data);
}

void OwnedWriteRun::add_owners_of(std::string_view field, const ApiReply& object, Json& data) {
  const auto owners =
      FieldOwners::read(object.unredacted_for_a_write(),
                        [&object](std::string_view text) { return object.scrub(text); });
  if (!owners) return say_owners(Unexpected(owners.error()), data);
  say_owners(owners->others_of(field, {options().field_manager, "Update", ""}), data);
}

void OwnedWriteRun::say_owners(const Result<std::vector<FieldOwners::Fields>>& owners, Json& data) {
  Json& said = data["fieldOwners"];
  said["known"] = owners.has_value();
  if (!owners) {
    said["why"] = owners.error().message;
    return warn(
        fmt::format("whose fields this write changes is not known: {}", owners.error().message));
  }
  said["others"] = shown_owners(*owners);
  if (owners->size() > said["others"].size()) {
    said["othersLeftOut"] = owners->size() - said["others"].size();
  }
  // What this manager has set by another kind of write is nobody else's.
  std::vector<FieldOwners::Fields> others;
  std::ranges::copy_if(*owners, std::back_inserter(others), [&](const FieldOwners::Fields& owner) {
    return owner.manager.name != options().field_manager;
  });
  if (others.empty()) return;
  warn(fmt::format("{} set: {}. They may set them again",
                   options().force ? "force takes fields that others have"
                                   : "this write changes fields that others have",
                   owners_in_words(others)));
}

void OwnedWriteRun::check_autoscalers(std::optional<std::int64_t> replicas,
                                      std::function<void()> then) {
  with_kinds(false, [this, replicas, then = std::move(then)](const ResourceTable& table) {
    const Resource* found = nullptr;
    for (const Resource& row : table.resources()) {
      const bool is_it = row.group == "autoscaling" && row.kind == "HorizontalPodAutoscaler";
      if (is_it && (found == nullptr || row.is_preferred)) found = &row;
    }
    if (found != nullptr) return look_at_autoscalers(*found, replicas, then);
    const bool is_unknown = std::ranges::any_of(table.failed(), [](const std::string& version) {
      return version.starts_with("autoscaling/");
    });
    if (is_unknown) {
      warn(
          "whether an autoscaler sets these replicas is not known: the server does not answer "
          "for the group autoscaling");
    }
    then();
  });
}

void OwnedWriteRun::look_at_autoscalers(const Resource& autoscalers,
                                        std::optional<std::int64_t> replicas,
                                        std::function<void()> then) {
  ApiRequest request;
  request.path = with_query(collection_path(autoscalers, name_space()),
                            {{"limit", std::to_string(kAutoscalersMax)}});
  request.asked = object_kind(autoscalers);
  try_send(std::move(request), [this, replicas, then = std::move(then)](ApiAnswer listed) {
    const bool is_read = listed && is_list(listed->object());
    if (is_read) {
      const Json& body = listed->object();
      for (std::string& text : autoscaler_warnings(member(body, "items"), identity(), replicas)) {
        warn(std::move(text));
      }
      if (!text_member(member(body, "metadata"), "continue").empty()) {
        warn(
            fmt::format("whether another autoscaler sets these replicas is not known: the first "
                        "{} of the namespace were looked at",
                        kAutoscalersMax));
      }
    } else {
      warn(fmt::format("whether an autoscaler sets these replicas is not known: {}",
                       listed ? no_list().message : listed.error().message));
    }
    then();
  });
}

void OwnedWriteRun::add_times(Json& conflicts) const {
  const auto owners =
      FieldOwners::read(earlier(), [](std::string_view text) { return std::string(text); });
  if (!owners || !conflicts.is_array()) return;
  for (Json& conflict : conflicts) {
    if (conflict.contains("time")) continue;
    for (const FieldOwners::Fields& owner : owners->managers()) {
      const bool is_it = owner.manager.name == text_member(conflict, "manager") &&
                         owner.manager.operation == text_member(conflict, "operation") &&
                         owner.manager.subresource == text_member(conflict, "subresource");
      if (is_it && !owner.time.empty()) conflict["time"] = owner.time;
    }
  }
}

void OwnedWriteRun::explain_conflicts(Failure& failure) const {
  if (failure.details.contains("conflicts")) add_times(failure.details["conflicts"]);
  const Json& conflicts = member(failure.details, "conflicts");
  const std::string manager = options().field_manager;
  const auto own = std::count_if(conflicts.begin(), conflicts.end(), [&](const Json& conflict) {
    return text_member(conflict, "manager") == manager;
  });
  if (own == 0) return;
  failure.message += fmt::format(
      "; the fields of '{}' itself were set by a create or a merge or JSON patch, which own apart "
      "from an apply: {}",
      manager,
      static_cast<std::size_t>(own) == conflicts.size()
          ? "force takes them over from nobody else"
          : "leave out the others' fields, and force takes them over");
}

}  // namespace filecall::worker::kube
