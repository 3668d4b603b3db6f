"""Content generators: what a chat client such as gemini-cli calls. Requests and answers are Gemini wire documents."""
