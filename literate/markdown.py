"""The Markdown extension of this repository, by the name that mkdocs.yml gives it: `literate.markdown`."""

from literate.showing.extension import makeExtension

__all__ = ["makeExtension"]
