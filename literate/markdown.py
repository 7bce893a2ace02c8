"""The Markdown extension of this repository, by the name that mkdocs.yml gives it.

markdown_extensions:
  - literate.markdown:
      repo_url: https://github.com/…
"""

from typing import Any

from literate.course import directives
from literate.showing.extension import LiterateExtension


def makeExtension(**settings: Any) -> LiterateExtension:
    """Return the extension; Python-Markdown calls this function by its name."""
    return LiterateExtension(directives.RENDERERS, directives.foot, **settings)
