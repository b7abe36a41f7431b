#define MERCER_ISA x86_64_v3
#include "mercer/strings/string_loops.inl"
