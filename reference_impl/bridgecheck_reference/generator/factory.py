"""Which generator a configuration asks for: fake, else the provider layer if its flag is on, else the native one.

With the flag off nothing of ``providers`` is imported. Logging is around whichever it is, recording outermost of all.
``Config.flag_first`` puts the flag before both files (mapping row R-04).
"""

import logging
from collections.abc import Mapping

from bridgecheck_reference.config import Config, is_provider_flag_set_to_1, load_config
from bridgecheck_reference.generator.decorators import LoggingContentGenerator, RecordingContentGenerator
from bridgecheck_reference.generator.protocol import ContentGenerator


def create_content_generator(
    config: Config | Mapping[str, object] | None = None, env: Mapping[str, str] | None = None
) -> ContentGenerator:
    """The generator for ``config`` (a ``Config``, or settings as ``load_config`` takes them) and ``env`` (None: the
    process's environment), which also holds the flag ``GEMINI_CLI_USE_PROVIDER_ABSTRACTION``.

    ``ConfigError``, ``UnknownProviderError``, ``NotSupportedError`` (a kind of authentication), ``MockResponseError``.
    """
    found = config if isinstance(config, Config) else load_config(config, env)
    flag = is_provider_flag_set_to_1(env)
    if flag and found.flag_first:
        return LoggingContentGenerator(_make_bridge(found))
    logged = LoggingContentGenerator(_make_fake_else_bridge_if_flag_else_native(found, flag))
    return RecordingContentGenerator(logged, found.record_responses) if found.record_responses else logged


def _make_fake_else_bridge_if_flag_else_native(config: Config, flag: bool) -> ContentGenerator:
    if config.fake_responses is not None:
        from bridgecheck_reference.generator.fake import FakeContentGenerator

        return FakeContentGenerator.from_file(config.fake_responses, recorded_order=config.fake_strict)
    if flag:
        return _make_bridge(config)
    from bridgecheck_reference.generator.native import NativeContentGenerator

    if config.provider != "gemini":
        logging.getLogger(__name__).warning("provider %s is not used: the provider layer is off", config.provider)
    return NativeContentGenerator(config.for_provider("gemini"), config.model)


def _make_bridge(config: Config) -> ContentGenerator:
    from bridgecheck_reference.generator.bridge import ProviderBridge
    from bridgecheck_reference.providers.protocol import create_provider

    provider = create_provider(config.provider, config.for_provider(config.provider))
    return ProviderBridge(provider, config.model, lazy_stream=config.lazy_stream)
