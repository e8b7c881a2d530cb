"""All services on one machine, as real processes on PostgreSQL: started, watched, disturbed and ended in order."""
