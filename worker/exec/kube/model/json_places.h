// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "worker/exec/kube/model/places.h"
#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// Appends where the hidden values of an object stand in the JSON text that it was read from,
/// without their quotes. False: there are too many of them, or one stands there in another form
/// (escaped in another way), so that no part of the text may be shown. Pure.
bool find_in_json(std::string_view text, const std::vector<Places::Hidden>& hidden,
                  std::vector<TextSpan>& spans);

}  // namespace filecall::worker::kube
