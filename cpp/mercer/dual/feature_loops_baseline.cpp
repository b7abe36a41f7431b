#define MERCER_ISA baseline
#include "mercer/dual/feature_loops.inl"
