"""Parts of ``benchmarks.accuracy_tables``: tables, methods, scores, stored results, ranks, picture and page."""
