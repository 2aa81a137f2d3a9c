"""Times the engine against plain twins of the same algorithms: ``make benchmark``."""
