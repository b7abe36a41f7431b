#define MERCER_ISA baseline
#include "mercer/strings/alignment_kernels.inl"
