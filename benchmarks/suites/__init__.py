"""What the suites do, a module for each part."""
