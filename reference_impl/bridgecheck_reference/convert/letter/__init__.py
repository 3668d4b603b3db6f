"""What the older mapping does in another way than today's APIs need, one concept a file, switched on by ``Profile``."""
