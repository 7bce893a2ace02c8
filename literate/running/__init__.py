"""Run programs on both Modules and judge what they print."""
