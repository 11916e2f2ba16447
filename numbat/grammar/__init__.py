"""The grammar room: what a linguist writes, read from the notation or from YAML, checked, and printed back."""
