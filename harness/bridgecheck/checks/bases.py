"""What the checks rest on."""

from typing import Final

from bridgecheck.model.scenario import Basis

READ: Final = "2026-11-21"
"""When stored copies of the pages were read, or of the definitions that they are made from."""
TRIED: Final = "2026-11-20"
GEMINI: Final = Basis("documented", "https://ai.google.dev/api/generate-content", READ)
CHAT: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/chat", READ)
CHUNK: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/chat-streaming", READ)
CALLING: Final = Basis("documented", "https://ai.google.dev/api/caching#FunctionDeclaration", READ)
SIGNED: Final = Basis("documented", "https://ai.google.dev/gemini-api/docs/thought-signatures", READ)
MESSAGES: Final = Basis("documented", "https://docs.anthropic.com/en/api/messages-streaming", READ)
THINKING: Final = Basis(
    "documented",
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks",
    READ,
)
ERRORS: Final = Basis("documented", "https://developers.openai.com/docs/guides/error-codes", READ)
BREAKS: Final = Basis("client-breaks", "google-genai 3.4.0, openai 3.52.0", TRIED)
RECORDED: Final = Basis("recorded", "recorded native traffic holds this for every provider", TRIED)
STREAMED: Final = Basis("convention", "router-for-me/CLIProxyAPI#460, aws-samples/bedrock-access-gateway#149", READ)
RETRIED: Final = Basis(
    "client-breaks", "clients that accumulate a stream get its beginning twice: endolith/open-interpreter#291", READ
)
CANCELLED: Final = Basis("convention", "QuantumNous/new-api#4184, BerriAI/litellm#31499", READ)
CACHED: Final = Basis("documented", "https://developers.openai.com/api/docs/guides/prompt-caching", READ)
"""Only an exact prefix of an earlier request is found in a cache."""
BETAS: Final = Basis("documented", "https://docs.anthropic.com/en/api/beta-headers", READ)
SECRET: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/authentication", READ)
CONVENTION: Final = Basis("convention", "reasoning_content, images: OpenAI-compatible hosts and gateways", TRIED)
HOUSE: Final = Basis("house", "what is added to a request in silence is a choice the client did not make", TRIED)
OWN: Final = Basis("recorded", "the basis of the scenario that expects it", TRIED)
PAIR: Final = Basis("documented", "the bases of the request checks, which compare what went there and came back", READ)
