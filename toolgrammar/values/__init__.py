"""What goes out: frozen, slotted dataclasses that import nothing else of the package."""
