"""Packed strings, their alphabets and symbols."""
