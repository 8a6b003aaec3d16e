#pragma once

#include <cstddef>
#include <string_view>

// Files that are part of the program. No compiler here has #embed, and a megabyte as a string literal takes it a
// minute.
//
//   DPPL_EMBED_FILE(vega, "/path/to/vega.js")             // at the top of a file, outside of namespaces
//   const std::string_view text = DPPL_EMBEDDED(vega);
#define DPPL_EMBED_FILE(name, path)               \
  asm(".pushsection .rodata\n"                    \
      "dppl_" #name "_begin: .incbin \"" path     \
      "\"\n"                                      \
      "dppl_" #name                               \
      "_end: .byte 0\n"                           \
      ".global dppl_" #name "_begin, dppl_" #name \
      "_end\n"                                    \
      ".popsection\n");                           \
  extern "C" const char dppl_##name##_begin[], dppl_##name##_end[]

#define DPPL_EMBEDDED(name) \
  std::string_view(dppl_##name##_begin, static_cast<std::size_t>(dppl_##name##_end - dppl_##name##_begin))
