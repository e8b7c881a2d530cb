"""Gouji as a PettingZoo environment, for those who train: `gouji.zoo.env`. Needs the extra ``gouji[zoo]``."""
