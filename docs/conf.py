"""Configuration of the documentation site; ``python -m sphinx -W docs build/docs`` builds it."""

import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

metadata = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
project = metadata["name"]
author = metadata["authors"][0]["name"]
copyright = author
version = release = metadata["version"]

extensions = [
    "api_reference",
    "appearance",
    "gallery_links",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_ext",
    "_templates",
    "**/GALLERY_HEADER.rst",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "sg_execution_times.rst",
]
templates_path = ["_templates"]
default_role = "py:obj"
smartquotes = False  # types and defaults in docstrings hold quotes, such as default="rbf"
suppress_warnings = ["config.cache"]  # the context of the templates holds a function
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 4

# ---- API reference
autosummary_generate = True
autosummary_generate_overwrite = True
autodoc_typehints = "none"  # types are in the docstrings, in numpydoc's words
autodoc_preserve_defaults = True
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. ?|\$ "  # a line "..." alone is copied as an empty line
copybutton_prompt_is_regexp = True

# ---- gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",  # every script is run
    "abort_on_example_error": True,
    "doc_module": ("mercer",),
    "backreferences_dir": "gallery/backreferences",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib",),
    "default_thumb_file": str(DOCS / "_static" / "thumbnail.png"),
    "subsection_order": [
        "../examples/kernels",
        "../examples/perceptron",
        "../examples/svm",
        "../examples/ridge",
        "../examples/discriminant",
        "../examples/decomposition",
        "../examples/neighbors_and_clusters",
        "../examples/structured",
        "../examples/tables",
        "../examples/semi_supervised",
        "../examples/statistics",
        "../examples/faces",
    ],
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_",),  # scripts print what they show
    "image_srcset": ["2x"],  # sharp figures on screens with a high resolution
    "recommender": {"enable": True, "n_examples": 4},
}

# ---- pages
html_theme = "pydata_sphinx_theme"
html_title = "mercer"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "mercer", "image_light": "_static/logo.svg", "image_dark": "_static/logo-dark.svg"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {page: [] for page in ("index", "quickstart", "changelog", "benchmarks")}  # without pages below them
