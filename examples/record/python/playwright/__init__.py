"""Stands in for Playwright where it is not installed."""
