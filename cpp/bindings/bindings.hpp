#pragma once

#include <nanobind/nanobind.h>

void bind_runtime(nanobind::module_& m);
void bind_pairwise(nanobind::module_& m);
void bind_dual(nanobind::module_& m);
void bind_perceptron(nanobind::module_& m);
void bind_products(nanobind::module_& m);
void bind_columns(nanobind::module_& m);
void bind_explain(nanobind::module_& m);
void bind_windows(nanobind::module_& m);
void bind_hamming(nanobind::module_& m);
void bind_alignment(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
void bind_graphs(nanobind::module_& m);
void bind_graphlets(nanobind::module_& m);
void bind_paths(nanobind::module_& m);
