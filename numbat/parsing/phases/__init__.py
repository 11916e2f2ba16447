"""The process of Prost (2006), literally: the eight phases, their loop, the elections, the forest, the trace."""
