"""The evaluation script for EvalAI's hosted worker."""

from .hosted import evaluate

__all__ = ["evaluate"]
