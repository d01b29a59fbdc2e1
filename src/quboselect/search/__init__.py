"""Every alpha and every k: from a tradeoff to a subset."""
