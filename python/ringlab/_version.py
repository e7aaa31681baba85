"""The version of the package, which is that of Ringlab."""

__version__ = "0.1.0"
