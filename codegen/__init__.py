"""The code generator of Tallystick: contracts/ in, generated/ out.

Four steps, one folder or file each, to be read in this order:

    load.py    YAML files -> `Source`: parsed documents, references that resolve
    build.py   `Source` -> `Contract` (ir.py): operations, shared schemas, errors; what is implied is written out
    lint/      rules over `Source` and `Contract`; each message names the file and what to add
    emit/      `Contract` -> texts of files below generated/

To add a rule or an emitter, write its module and name it in `lint/__init__.py` or `emit/__init__.py`; all it has to
know stands in `ir.py`. What every write takes and answers, and which errors are implied, stands in `implied.py`; what
the value of an argument makes of a call in `branching.py`; how schemas are cut for tools/list in `advertise.py`.

Run it as `python -m codegen`, with `--check` to compare only, with `--stub OPERATION` for a handler to paste.
"""
