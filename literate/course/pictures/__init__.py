"""The pictures: one file each, found in a real object and drawn."""
