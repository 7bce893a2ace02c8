"""Keep the pages true: extract their programs, run them on both Modules, and show what they printed."""
