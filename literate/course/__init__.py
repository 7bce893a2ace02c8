"""What this course has above the tool: answers, reference, figures, notebooks, costs, pieces, pictures, labs."""
