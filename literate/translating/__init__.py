"""Hold the Chinese pages to the English ones."""
