"""Packed strings, alphabets and symbols."""
