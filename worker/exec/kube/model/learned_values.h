// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall::worker::kube {

/// Whether a value that is secret where it stands is too plain to be looked for elsewhere: shorter
/// than 6 bytes, a number, or what programs come with (admin, changeme, postgres, ...). Each of
/// them stands in a hundred places that have nothing to do with it. Pure.
bool is_plain_value(std::string_view value);

/// Takes out what is equal to a name, or to a part of one ("rabbitmq" of
/// "docker.io/bitnami/rabbitmq:3.12" and of "rabbitmq.shop.svc"): these are seen by everybody.
/// Pure.
void take_out_names(const std::vector<std::string_view>& names, std::vector<std::string>& values);

}  // namespace filecall::worker::kube
