"""Configuration of the site; docs/builder/build.py stages the sources and runs Sphinx."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
STAGED = Path(os.environ["MINERVA_SITE_SOURCES"])  # set by build.py

import examples_output  # noqa: E402
from minerva_select import __version__  # noqa: E402

project = "MINERVA"
author = "The MINERVA developers"
copyright = author  # noqa: A001 - the name Sphinx expects
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "site_hooks",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
exclude_patterns = ["gallery/*.py", "gallery/**/*.ipynb"]
nitpicky = False
today_fmt = "%Y-%m-%d"

# Markdown
myst_heading_anchors = 4  # links such as method.md#the-judge
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]

# API
autosummary_generate = False  # api_pages.py writes the pages
autodoc_typehints = "none"  # types are in the docstrings
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # api_pages.py lists the members
numpydoc_xref_param_type = False
numpydoc_validation_checks = {"GL03", "GL06", "GL07", "PR02", "PR10", "RT03", "SS03"}
intersphinx_mapping = {
    "sklearn": ("https://scikit-learn.org/stable/", str(STAGED / "inventories" / "sklearn.inv")),
    "pandas": ("https://pandas.pydata.org/docs/", str(STAGED / "inventories" / "pandas.inv")),
    "torch": ("https://docs.pytorch.org/docs/stable/", str(STAGED / "inventories" / "torch.inv")),
}

# Examples
sphinx_gallery_conf = {
    "examples_dirs": [str(STAGED / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": examples_output.pattern(),
    "within_subsection_order": "ExampleTitleSortKey",
    "capture_repr": ("_repr_html_", "__str__"),
    "ignore_repr_types": r"matplotlib|NoneType",
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("examples_output.reset",),
    "reset_modules_order": "both",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("minerva_select",),
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "plot_gallery": os.environ.get("MINERVA_SITE_EXAMPLES", "True"),
    "write_computation_times": False,  # that page would load scripts from a network
    "junit": str(STAGED / "examples.xml"),
    "image_srcset": ["2x"],
    "thumbnail_size": (400, 280),
    "default_thumb_file": str(HERE / "static" / "thumbnail.png"),
}

# HTML
html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = f"MINERVA {version}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_favicon = str(HERE / "static" / "favicon.svg")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False  # summaries are requested, which a browser refuses for pages opened from disk
html_theme_options = {
    "logo": {"text": "MINERVA"},
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "search_bar_text": "Search",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"changelog": [], "licenses": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
