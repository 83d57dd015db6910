"""Tables with periods side by side: their headers, and one value in each row."""
