"""Read the repository: pages, labs, sections of module.py, the command line's choice, the words of the site."""
