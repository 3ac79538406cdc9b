// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "worker/exec/kube/model/digest.h"

namespace filecall::worker::kube {

/// 32 random bytes.
DigestKey draw_digest_key();

/// The key of the digests that bind writes to their previews (write_plan.h): 32 bytes in
/// `directory`/preview.key (mode 0600), drawn when the file is not there, so that a preview counts
/// for all workers of one user and after a restart. It guards what a short value in a previewed
/// body may be, against those who see answers alone; a user who can read it can read the kubeconfig
/// as well. The digests that stand for secret values never use it. A file that others may read, or
/// of another size, is replaced: then earlier previews are void. Failure: no directory, or nothing
/// can be kept there.
Result<DigestKey> stored_preview_key(const std::string& directory);

}  // namespace filecall::worker::kube
