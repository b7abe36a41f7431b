#define MERCER_ISA x86_64_v4
#include "mercer/strings/string_loops.inl"
