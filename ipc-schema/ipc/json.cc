// SPDX-License-Identifier: MIT
#include "ipc/json.h"

#ifdef FILECALL_JSON_ONCE
template class nlohmann::basic_json<>;
#endif
