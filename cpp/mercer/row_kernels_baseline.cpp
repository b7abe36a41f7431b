#define MERCER_ISA baseline
#define MERCER_ISA_NAME "baseline"
#include "mercer/row_kernels.inl"
