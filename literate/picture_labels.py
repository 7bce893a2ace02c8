"""The words on the pictures, by language: what ``literate/pictures.py`` cannot read from an object.

A label may hold ``{}`` for what was found. Every language has the same labels (a test compares them).
"""

LABELS: dict[str, dict[str, dict[str, str]]] = {
    "en": {
        "registries": {
            "title": "Six assignments and where each is filed",
            "written": "in __init__",
            "filed": "filed in",
            "sentence": "{} goes to {}.",
        },
        "tree-walk": {
            "title": "The order in which a walk gives modules and parameters",
            "name": "the name each is given",
            "same": "same object as {}",
            "sentence": "{} is number {}.",
            "tied": "{} is the same object as number {} and is not given again.",
        },
        "who-gets-what": {
            "title": "What happens to each kind of tensor that a Module holds",
            "weight": "Parameter",
            "frozen": "Parameter, frozen",
            "mean": "buffer",
            "mask": "non-persistent buffer",
            "plain": "tensor, requires_grad",
            "gradient": "grad",
            "gradient means": "has a .grad after loss.backward()",
            "trained": "trained",
            "trained means": "differs after optimizer.step()",
            "saved": "saved",
            "saved means": "is in model.state_dict()",
            "moved": "moved",
            "moved means": "follows model.to(…)",
            "sentence": "{} ({}): {}.",
            "nothing": "nothing",
        },
        "state-dict-is-a-view": {
            "title": "A state_dict reads the memory of the model; a copy has its own",
            "memory": "memory",
            "stepped": "changed by the step",
            "untouched": "as it was",
            "sentence": "One memory for {}, held by {}: {}.",
        },
        "move-keeps-parameters": {
            "title": "What model.double() keeps and what it replaces",
            "before": "before",
            "after": "after norm.double()",
            "one object": "the same object",
            "two objects": "a new object",
            "held both": "{} still holds it",
            "held before": "{} keeps the old one",
            "kept": "{} stays the same object; its data goes from {} to {}.",
            "replaced": "{} becomes another object; {} before, {} after.",
        },
        "training-flag": {
            "title": "The training flag of every module after three calls",
            "reads": "{}: output depends on the flag",
            "ignores": "{}: output does not",
            "sentence": "{}: {}.",
        },
        "hook-order": {
            "title": "The order in which hooks run",
            "given": "what the hook is given",
            "replaces": "what it may replace",
            "global": "global",
            "forward": "forward(x) computes",
            "weight.grad": "weight.grad is filled",
        },
        "backward-graph": {
            "title": "The graph that forward left behind, from the loss to the Parameters",
            "autograd": "recorded by autograd during forward",
            "module": "ends at a Parameter that the Module holds",
            "sentence": "From the loss: {}. It ends at the Parameters {}.",
        },
        "import-finder": {
            "title": "Which finder answers the import of which module",
            "asks": "asks the finders one by one",
            "sentence": "{} is asked of {}, and comes from {}.",
        },
        "chapters": {
            "title": "The chapters, and the sections of scratch/module.py that each shows",
            "chapters": "chapter",
            "sentence": "{} shows {}.",
        },
    },
}
