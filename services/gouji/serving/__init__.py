"""What every process needs: settings, database, gRPC server, tokens, metrics, logs. Knows no service."""
