#!/usr/bin/env python3
"""A picture of a report as a browser shows it, for the documentation.

  tests/browser/picture.py PAGE.html PICTURE.png [WIDTH HEIGHT] [dark]
"""
import sys

from chromium import Browser


def main():
    words = [word for word in sys.argv[1:] if word != "dark"]
    if len(words) not in (2, 4):
        sys.exit(__doc__)
    page, picture, width, height = (words + ["1000", "1000"])[:4]
    browser = Browser()
    try:
        browser.open(page, int(width), int(height), "dark" in sys.argv)
        browser.picture(picture)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
