"""Workflows: steps that wait for others, written down as blueprints."""

from flow.blueprint import dumps, loads
from flow.runner import Runner
from flow.steps import Flow, FlowError, Step

__all__ = ["Flow", "FlowError", "Runner", "Step", "dumps", "loads"]
