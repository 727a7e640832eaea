from build.cache import Cache
from build.errors import BuildError, GraphError, RecipeError
from build.executor import Executor
from build.graph import Graph
from build.recipes import Recipes

__all__ = ["BuildError", "Cache", "Executor", "Graph", "GraphError", "RecipeError", "Recipes"]
