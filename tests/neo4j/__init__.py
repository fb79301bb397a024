"""What is particular to the Neo4j store, on a real server."""
