"""Write the files that the pages give, and outputs into the pages."""
