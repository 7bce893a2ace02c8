"""Let a reader write parts of scratch/module.py, and grade them by what PyTorch prints."""
