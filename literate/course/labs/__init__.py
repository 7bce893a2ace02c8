"""The labs: run on both Modules cell by cell, and what they draw with."""
