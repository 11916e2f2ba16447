"""What pages and drawings share: `template` puts pages together, `palette` knows the colours; `assets/` has their
styles, bodies and scripts.
"""

__all__ = ["palette", "template"]
