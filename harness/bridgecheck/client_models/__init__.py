"""Models of real clients: what each remembers of an answer, shows of it, and sends again.

One pure record a client, so that a conversation can be played as that client would go on with it, and an answer judged
by what would become of it there. tests/client_models compares each with the library's own code."""

from collections.abc import Iterable
from typing import Final

from bridgecheck.client_models import anthropic, anthropic_frameworks, gemini, gemini_frameworks, openai_chat
from bridgecheck.client_models.model import ALL, ClientModel, Remembered
from bridgecheck.wire import Dialect

CLIENT_MODELS: Final[dict[str, ClientModel]] = {
    model.name: model
    for model in (
        ClientModel(
            "google-genai-chats", "gemini", "google-genai (Python), chats", "3.4.0",
            gemini.remember_in_python_chat, gemini.show_text, "chats._validate_response",
            drops="question and answer where an event has no content, no parts or an empty part, or none has a "
            "finishReason; fields of a part that it does not know",
            keeps="each event as a content of its own, signatures included", prints="response.text of each event",
            how="run",
        ),
        ClientModel(
            "google-genai-js-chats", "gemini", "@google/genai (JavaScript), chats", "3.1.0",
            gemini.remember_in_javascript_chat, gemini.show_text, "Chat.processStreamResponse",
            drops="question and answer as in Python, and where a content has no role",
            keeps="each event as a content of its own", prints="chunk.text",
            how="measured",
        ),
        ClientModel(
            "gemini-cli", "gemini", "gemini-cli", "0.61.0",
            gemini.remember_in_gemini_cli, gemini.show_text,
            "GeminiChat.processStreamResponse, stripToolCallIdPrefixes",
            gemini.resend_from_gemini_cli,
            drops="thoughts; an event with a bare empty text, whole; the signature of a text that follows a text",
            keeps="one content of all parts, texts joined; signatures of calls and of a first text",
            adds="skip_thought_signature_validator on the first unsigned call of a turn, ids for calls without one",
            prints="text, thoughts left out",
            how="measured",
        ),
        ClientModel(
            "gemini-cli-resume", "gemini", "gemini-cli --resume", "0.61.0",
            gemini.remember_in_resumed_gemini_cli, gemini.show_text,
            "https://github.com/Joouis/agent-maestro/pull/251",
            gemini.resend_from_resumed_gemini_cli,
            drops="as gemini-cli, and signatures of earlier turns", keeps="as gemini-cli",
            adds="every result of an earlier turn a second time; the placeholder on a call that thoughts came before",
            prints="text, thoughts left out",
            how="measured",
        ),
        ClientModel(
            "langchain-google", "gemini", "LangChain and LangGraph, ChatGoogleGenerativeAI, models called gemini-3",
            "4.4.2",
            gemini_frameworks.remember_in_langchain, gemini_frameworks.show_text_in_langchain, "chat_models.py",
            gemini_frameworks.resend_from_langchain,
            drops="empty texts, unary also line breaks at the end of a text; ids of calls and results",
            keeps="text, thoughts, calls, their signatures; the texts of a stream joined, calls behind all else",
            adds="skip_thought_signature_validator on the first call of each answer of the running turn, if unsigned",
            prints="message.text",
            how="measured",
        ),
        ClientModel(
            "pydantic-ai-google", "gemini", "pydantic-ai, GoogleModel", "2.68.0",
            gemini_frameworks.remember_in_pydantic_ai, gemini.show_text, "models/google.py",
            gemini_frameworks.resend_from_pydantic_ai,
            drops="empty texts without a signature",
            keeps="text, thoughts, calls, their signatures; the texts of a stream joined",
            adds="skip_thought_signature_validator, in base64, on the first call of each answer, if unsigned; ids for "
            "calls without one; results under return_value",
            prints="result.output",
            how="measured",
        ),
        ClientModel(
            "vercel-google", "gemini", "Vercel AI SDK, @ai-sdk/google, models called gemini-3", "4.0.121, ai 7.0.173",
            gemini_frameworks.remember_in_vercel, gemini.show_text,
            "google-language-model.ts, convert-to-google-messages.ts",
            gemini_frameworks.resend_from_vercel,
            drops="empty texts; a signature on one goes to the text before it",
            keeps="text, thoughts, calls, their signatures; the texts of a stream joined",
            adds="skip_thought_signature_validator on the unsigned calls of an answer that has no signed one; ids for "
            "calls without one; results under name and content",
            prints="result.text",
            how="measured",
        ),
        ClientModel(
            "openai-python", "openai-chat", "openai (Python), stream helper", "3.52.0",
            openai_chat.remember_in_python_helper, openai_chat.show_content,
            "lib/streaming/_deltas.accumulate_delta",
            drops="a stream in which a list of objects has no index: it raises",
            keeps="the message with every member",
            adds="nulls for absent members, the index of a streamed call; ids and names run on if repeated",
            prints="message.content",
            how="run",
        ),
        ClientModel(
            "openai-node", "openai-chat", "openai (JavaScript), stream helper", "7.55.0",
            openai_chat.remember_in_node_helper, openai_chat.show_content,
            "ChatCompletionStream.accumulateChatCompletion",
            drops="all but the last piece of streamed members that it does not know; a stream without role, or with a "
            "call without index or type: it raises",
            keeps="text, refusal, calls with every member", adds="ids for calls without one", prints="message.content",
            how="measured",
        ),
        ClientModel(
            "openai-agents", "openai-chat", "OpenAI Agents SDK (Python), Chat Completions", "0.24.0",
            openai_chat.remember_in_agents, openai_chat.show_content, "chatcmpl_converter",
            drops="reasoning and every member that it does not know; an answer of reasoning alone",
            keeps="text, refusal, calls; extra_content.google.thought_signature of a call of a model that is called "
            "gemini",
            prints="final_output: the text of the last message",
            how="measured",
        ),
        ClientModel(
            "openai-agents-litellm", "openai-chat", "OpenAI Agents SDK (Python), LitellmModel", "0.6",
            openai_chat.remember_in_agents, openai_chat.show_content,
            "https://github.com/openai/openai-agents-python/pull/3215",
            openai_chat.resend_one_call_a_message,
            drops="as openai-agents", keeps="as openai-agents",
            adds="an assistant message for each of several calls, with the text copied", prints="as openai-agents",
            how="thread",
        ),
        ClientModel(
            "langchain-openai", "openai-chat", "LangChain and LangGraph, ChatOpenAI", "1.7.3",
            openai_chat.remember_in_langchain, openai_chat.show_content, "chat_models/base.py",
            drops="reasoning, refusals, extra_content", keeps="text; calls, their arguments written anew",
            prints="message.content",
            how="measured",
        ),
        ClientModel(
            "vercel-openai-compatible", "openai-chat", "Vercel AI SDK, @ai-sdk/openai-compatible", "3.0.92, ai 7.0.173",
            openai_chat.remember_in_vercel, openai_chat.show_content,
            "convert-to-openai-compatible-chat-messages.ts, to-response-messages.ts",
            drops="members that it does not know",
            keeps="text, a refusal as text, reasoning_content; calls with extra_content.google.thought_signature, "
            "their arguments written anew",
            prints="result.text",
            how="measured",
        ),
        ClientModel(
            "vercel-openai", "openai-chat", "Vercel AI SDK, @ai-sdk/openai", "4.0.118, ai 7.0.173",
            openai_chat.remember_in_vercel_openai, openai_chat.show_content,
            "openai-chat-language-model.ts, convert-to-openai-chat-messages.ts",
            drops="reasoning, every extra_content; an answer of reasoning alone",
            keeps="text, a refusal as text; calls, their arguments written anew", prints="result.text",
            how="measured",
        ),
        ClientModel(
            "opencode", "openai-chat", "opencode over @ai-sdk/openai-compatible, models of Anthropic", "1.x",
            openai_chat.remember_in_vercel, openai_chat.show_content,
            "https://github.com/sst/opencode/blob/47767a7cffbae6fd011fa390396022ac51f67903"
            "/packages/opencode/src/provider/transform.ts",
            openai_chat.resend_with_plain_ids,
            drops="as the Vercel AI SDK", keeps="as the Vercel AI SDK",
            adds="an underscore in call ids for what is no letter, digit, dash or underscore", prints="the text",
        ),
        ClientModel(
            "pydantic-ai-openai", "openai-chat", "pydantic-ai, OpenAIChatModel", "2.68.0",
            openai_chat.remember_in_pydantic_ai, openai_chat.show_content, "models/openai/_chat_model.py",
            drops="refusals and members that it does not know; an answer of reasoning alone, after which it asks again",
            keeps="text, reasoning_content, calls with extra_content, their arguments written anew",
            prints="result.output",
            how="measured",
        ),
        ClientModel(
            "anthropic-python", "anthropic", "anthropic (Python), messages and tool runner", "2.11.0",
            anthropic.remember_blocks, anthropic.show_text_blocks,
            "lib/streaming/_messages.accumulate_event",
            keeps="all blocks as received", prints="stream.text_stream",
            how="run",
        ),
        ClientModel(
            "anthropic-quickstart", "anthropic", "the quick start of the Messages API", "2.11.0",
            anthropic.remember_blocks, anthropic.show_first_block, "message.content[0].text",
            keeps="all blocks as received", prints="message.content[0].text: nothing where another block stands first",
            how="run", is_without_thinking=True,
        ),
        ClientModel(
            "claude-code", "anthropic", "Claude Code, -p", "2.1.197",
            anthropic.remember_blocks, anthropic.show_last_block,
            "https://github.com/anthropics/claude-code/issues/40326",
            keeps="all blocks as received",
            prints="the text of the last block: nothing where another block stands last",
            how="measured",
        ),
        ClientModel(
            "langchain-anthropic", "anthropic", "LangChain and LangGraph, ChatAnthropic", "1.7.7",
            anthropic_frameworks.remember_in_langchain, anthropic.show_text_blocks, "chat_models.py, _format_messages",
            drops="texts of white space", keeps="all other blocks, thinking with or without a signature",
            prints="message.text",
            how="measured",
        ),
        ClientModel(
            "pydantic-ai-anthropic", "anthropic", "pydantic-ai, AnthropicModel", "2.68.0",
            anthropic_frameworks.remember_in_pydantic_ai, anthropic.show_text_blocks, "models/anthropic",
            drops="empty texts", keeps="all other blocks, thinking that is signed",
            adds="thinking without a signature as the user's text before the answer, in assistant_thinking tags",
            prints="result.output",
            how="measured",
        ),
        ClientModel(
            "vercel-anthropic", "anthropic", "Vercel AI SDK, @ai-sdk/anthropic", "4.0.105, ai 7.0.173",
            anthropic_frameworks.remember_in_vercel, anthropic.show_text_blocks, "convert-to-anthropic-prompt.ts",
            drops="empty texts", keeps="all other blocks, thinking with its signature, also an empty one",
            prints="result.text",
            how="measured",
        ),
    )
}  # fmt: skip
"""By name, as scenarios list them under ``client_models``."""


def client_models_of(dialect: Dialect, names: Iterable[str] = (ALL,)) -> tuple[ClientModel, ...]:
    """Return the models with these names that speak a dialect; all of them for ``all``."""
    chosen = frozenset(names)
    models = CLIENT_MODELS.values()
    return tuple(model for model in models if model.dialect == dialect and (ALL in chosen or model.name in chosen))


__all__ = ["ALL", "CLIENT_MODELS", "ClientModel", "Remembered", "client_models_of"]
