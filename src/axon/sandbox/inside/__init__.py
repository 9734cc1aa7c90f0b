"""The child's side of the sandbox; it imports the standard library and itself only."""

# What the child says on the report pipe: READY before the program starts, then the program's token or MEMORY.
READY, MEMORY = b"ready ", b"memory"
