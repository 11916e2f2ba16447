"""The parsing room: the eight phases of Prost (2006), the loop that wires them, and the parse that comes out."""
