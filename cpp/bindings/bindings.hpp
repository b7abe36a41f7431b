#pragma once

#include <nanobind/nanobind.h>

void bind_runtime(nanobind::module_& m);
void bind_pairwise(nanobind::module_& m);
void bind_dual(nanobind::module_& m);
void bind_perceptron(nanobind::module_& m);
void bind_products(nanobind::module_& m);
