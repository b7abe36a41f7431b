#define MERCER_ISA baseline
#include "mercer/strings/string_loops.inl"
