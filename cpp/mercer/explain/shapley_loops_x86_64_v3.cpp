#define MERCER_ISA x86_64_v3
#include "mercer/explain/shapley_loops.inl"
