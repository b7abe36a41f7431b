#define MERCER_ISA x86_64_v4
#include "mercer/dual/feature_loops.inl"
