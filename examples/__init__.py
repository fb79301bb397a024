"""Small conversations of our own writing, shipped for `bitempo demo` and the documentation."""
