#define MERCER_ISA x86_64_v4
#include "mercer/explain/shapley_loops.inl"
