"""What only a real browser can tell: controls that move their pictures, keyboards, contrast, screenshots."""
