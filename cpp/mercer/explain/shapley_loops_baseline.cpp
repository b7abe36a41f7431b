#define MERCER_ISA baseline
#include "mercer/explain/shapley_loops.inl"
