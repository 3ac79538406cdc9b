# Script mode: writes FILES as byte arrays into ${OUT}/${SYMBOL}.cc. Byte arrays, not raw strings:
# a raw string literal is limited to 64 KiB and breaks on its own delimiter.
file(MAKE_DIRECTORY ${OUT})
set(arrays "")
set(rows "")
set(n 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kBytes${n}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(kBytes${n}), sizeof(kBytes${n}) - 1}},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(WRITE ${OUT}/${SYMBOL}.h "#pragma once
#include <span>
#include \"base/embedded_file.h\"
namespace filecall {
std::span<const EmbeddedFile> ${SYMBOL}();
}
")
file(WRITE ${OUT}/${SYMBOL}.cc "#include \"embedded/${SYMBOL}.h\"
namespace filecall {
namespace {
${arrays}const EmbeddedFile kFiles[] = {
${rows}};
}
std::span<const EmbeddedFile> ${SYMBOL}() { return kFiles; }
}
")
