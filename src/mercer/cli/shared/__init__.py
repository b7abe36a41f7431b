"""Options, input and output shared by the commands."""
