"""Training by gradient descent: parameters, optimisers, the loop, and the small tasks that are learned."""
