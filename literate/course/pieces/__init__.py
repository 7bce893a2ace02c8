"""The interactive pieces: one file each, run on both Modules and recorded."""
