"""Why a tool cannot take part."""


class Absent(Exception):
    """The reason; one that begins with `crash` or `wrong` is the tool's fault, and shown as such."""
