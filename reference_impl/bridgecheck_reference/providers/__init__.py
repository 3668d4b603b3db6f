"""Providers: who answers. Requests and answers are OpenAI Chat documents (the IR), whatever the provider speaks."""
