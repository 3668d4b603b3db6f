"""Plan and execute: which cases there are, and what happened in each. The one package that knows all below it."""
