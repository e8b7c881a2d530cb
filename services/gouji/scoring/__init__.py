"""Scoring: results of finished hands, recorded once, and what players have won in all."""
