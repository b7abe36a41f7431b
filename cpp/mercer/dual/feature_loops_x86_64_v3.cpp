#define MERCER_ISA x86_64_v3
#include "mercer/dual/feature_loops.inl"
