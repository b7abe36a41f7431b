#define MERCER_ISA baseline
#define MERCER_ISA_NAME "baseline"
#include "mercer/gram/row_kernels.inl"
