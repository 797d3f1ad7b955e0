"""Two shortcuts beside the driver: for whole texts (`whole/`) and for streams (`stream/`).

Each reads what is sound with fewer steps, and hands over to the driver wherever anything is odd.
Laws hold them to the same result; without them, all is read as it is with them, only slower.
"""
