"""Tables as people have them, by the programs that wrote them, with their right answers."""
