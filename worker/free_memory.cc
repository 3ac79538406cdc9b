// SPDX-License-Identifier: MIT
#include "worker/free_memory.h"

#ifdef FILECALL_HAS_TCMALLOC
#include <gperftools/malloc_extension_c.h>
#else
#include <malloc.h>
#endif

namespace filecall::worker {

void release_free_memory() {
#ifdef FILECALL_HAS_TCMALLOC
  ::MallocExtension_ReleaseFreeMemory();
#else
  ::malloc_trim(0);
#endif
}

}  // namespace filecall::worker
