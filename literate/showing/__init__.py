"""Show a snippet on the site as the program that it is."""
