"""Parts that several commands share: options, input, output."""
