#define MERCER_ISA x86_64_v4
#define MERCER_ISA_NAME "x86-64-v4"
#include "mercer/gram/row_kernels.inl"
