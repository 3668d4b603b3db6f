"""Agent frameworks in Python, each as its guide shows it: an agent with a tool and a memory.

``python clients.py FRAMEWORK`` reads a conversation as a JSON line from stdin and prints what came of it as another.
"""

import asyncio
import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

os.environ |= {"OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false", "GOOGLE_API_KEY": ""}
warnings.simplefilter("ignore")

THINKING = {"type": "enabled", "budget_tokens": 1024}
MAX_TOKENS = 4096
INSTRUCTIONS = "Be brief."


def get_weather(city: str) -> str:
    """Weather of a city"""
    return f"mild in {city}"


class Conversation:
    """One conversation. ``turn``: sends a text of the user, and calls ``show`` with each text that it prints."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.dialect, self.origin, self.key = options["dialect"], options["origin"], options["key"]
        self.model, self.thinking, self.streamed = options["model"], options["thinking"], options["streamed"]

    async def turn(self, text: str, show: Callable[[str], None]) -> None:
        raise NotImplementedError


class OpenAIAgents(Conversation):
    """Runner with a session, over Chat Completions; ``thinking`` changes nothing. An agent that can hand over."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        import agents
        from openai import AsyncOpenAI

        client = AsyncOpenAI(base_url=f"{self.origin}/v1", api_key=self.key, max_retries=0)
        model = agents.OpenAIChatCompletionsModel(self.model, client)
        tool = agents.function_tool(get_weather)
        expert = agents.Agent(name="Expert", instructions="Be exact.", model=model, tools=[tool])
        handoffs: Any = [expert] if options.get("handoff") else []
        self.agent = agents.Agent(name="Guide", instructions=INSTRUCTIONS, model=model, tools=[tool], handoffs=handoffs)
        self.session = agents.SQLiteSession("conversation")

    async def turn(self, text: str, show: Callable[[str], None]) -> None:
        from agents import Runner

        if not self.streamed:
            show((await Runner.run(self.agent, text, session=self.session)).final_output)
            return
        result = Runner.run_streamed(self.agent, text, session=self.session)
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                show(event.data.delta)


class LangGraph(Conversation):
    """A graph of a model, a ToolNode and a checkpointer."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import START, MessagesState, StateGraph
        from langgraph.prebuilt import ToolNode, tools_condition

        model = self.create_model().bind_tools([get_weather])

        async def call_model(state: Any) -> Any:
            return {"messages": [await model.ainvoke([("system", INSTRUCTIONS), *state["messages"]])]}

        graph = StateGraph(MessagesState)
        graph.add_node("model", call_model)
        graph.add_node("tools", ToolNode([get_weather]))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        self.graph = graph.compile(checkpointer=InMemorySaver())

    def create_model(self) -> Any:
        if self.dialect == "openai-chat":
            from langchain_openai import ChatOpenAI

            return ChatOpenAI(model=self.model, base_url=f"{self.origin}/v1", api_key=self.key, max_retries=0)
        if self.dialect == "anthropic":
            from langchain_anthropic import ChatAnthropic

            thinking = THINKING if self.thinking else None
            return ChatAnthropic(
                model=self.model, base_url=self.origin, api_key=self.key, max_retries=0, max_tokens=MAX_TOKENS,
                thinking=thinking,
            )  # fmt: skip
        from langchain_google_genai import ChatGoogleGenerativeAI

        return ChatGoogleGenerativeAI(
            model=self.model, base_url=self.origin, api_key=self.key, max_retries=1, include_thoughts=self.thinking
        )

    async def turn(self, text: str, show: Callable[[str], None]) -> None:
        config: Any = {"configurable": {"thread_id": "conversation"}}
        request: Any = {"messages": [("user", text)]}
        if not self.streamed:
            show((await self.graph.ainvoke(request, config))["messages"][-1].text)
            return
        async for chunk, metadata in self.graph.astream(request, config, stream_mode="messages"):
            if metadata["langgraph_node"] == "model":
                show(chunk.text)


class PydanticAI(Conversation):
    """An agent; the messages of a run are the history of the next."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        from pydantic_ai import Agent

        model, settings = self.create_model()
        self.agent = Agent(model, instructions=INSTRUCTIONS, tools=[get_weather], model_settings=settings)
        self.history: Any = []

    def create_model(self) -> Any:
        if self.dialect == "openai-chat":
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            client = AsyncOpenAI(base_url=f"{self.origin}/v1", api_key=self.key, max_retries=0)
            return OpenAIChatModel(self.model, provider=OpenAIProvider(openai_client=client)), None
        if self.dialect == "anthropic":
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
            from pydantic_ai.providers.anthropic import AnthropicProvider

            client = AsyncAnthropic(base_url=self.origin, api_key=self.key, max_retries=0)
            settings: Any = AnthropicModelSettings(max_tokens=MAX_TOKENS)
            if self.thinking:
                settings["anthropic_thinking"] = THINKING
            return AnthropicModel(self.model, provider=AnthropicProvider(anthropic_client=client)), settings
        from pydantic_ai.models.google import GoogleModel, GoogleModelSettings
        from pydantic_ai.providers.google import GoogleProvider

        settings = GoogleModelSettings(google_thinking_config={"include_thoughts": True}) if self.thinking else None
        return GoogleModel(self.model, provider=GoogleProvider(api_key=self.key, base_url=self.origin)), settings

    async def turn(self, text: str, show: Callable[[str], None]) -> None:
        from pydantic_ai import AgentRunResultEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        if not self.streamed:
            result = await self.agent.run(text, message_history=self.history)
            show(result.output)
            self.history = result.all_messages()
            return
        async with self.agent.run_stream_events(text, message_history=self.history) as events:
            async for event in events:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    show(event.part.content)
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    show(event.delta.content_delta)
                elif isinstance(event, AgentRunResultEvent):
                    self.history = event.result.all_messages()


FRAMEWORKS = {"openai-agents": OpenAIAgents, "langgraph": LangGraph, "pydantic-ai": PydanticAI}


async def play(framework: type[Conversation], options: dict[str, Any]) -> dict[str, Any]:
    """Return for each text of the user what was shown, and the error that ended the turn, if one did."""
    conversation = framework(options)
    turns = []
    for text in options["users"]:
        shown: list[str] = []
        turn: dict[str, Any] = {"shown": shown}
        try:
            await conversation.turn(text, shown.append)
        except Exception as error:
            turn["error"] = f"{type(error).__name__}: {error}"[:300]
        turn["shown"] = "".join(str(piece) for piece in shown)
        turns.append(turn)
    return {"turns": turns}


def main() -> None:
    framework = FRAMEWORKS[sys.argv[1]]
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            print(json.dumps(runner.run(play(framework, json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()
