"""The notation of grammars: its Lark grammar, the statements that a text makes, and messages for syntax errors."""
