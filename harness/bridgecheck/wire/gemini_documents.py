"""The Gemini API's generateContent, requests and answers, as JSON objects with keys in camelCase.

``total=False`` throughout: proto3 leaves out what is empty. A key marked Required is one without which its object means
nothing. Objects are open: the API grows keys faster than its SDKs. Events of a stream have the shape of a whole answer.
Sources, stored copies read 2026-11-21: https://ai.google.dev/api/generate-content, https://ai.google.dev/api/caching#Content.
"""

import re
from typing import Final, Required

from typing_extensions import TypedDict

from bridgecheck.wire import JsonObject
from bridgecheck.wire.dialect import DialectRecord, Framing, OperationPattern, SdkPackage

FINISH_REASONS: Final = dict(enumerate((
    "FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "BLOCKLIST",
    "PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION", "IMAGE_OTHER", "UNEXPECTED_TOOL_CALL", "NO_IMAGE",
)))  # fmt: skip
"""Number -> word, as Vertex AI's older SDKs write the enum. From 10 on some SDKs count otherwise (no MODEL_ARMOR)."""

SCHEMA_TYPES: Final = dict(
    enumerate(("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))
)
"""Number -> member of the enum Type, as Vertex AI's older SDKs write them (recorded: otel-contrib/0031)."""


def _path_pattern_of_method(name: str) -> re.Pattern[str]:
    return re.compile(rf"/(?:models|tunedModels|endpoints)/(?P<model>[^/:]+):{name}$")


RECORD: Final = DialectRecord(
    name="gemini", title="Gemini", letter="G", host="generativelanguage.googleapis.com", domain="googleapis.com",
    paths={
        "unary": "/v1beta/models/{model}:generateContent",
        "stream": "/v1beta/models/{model}:streamGenerateContent?alt=sse",
    },
    endpoints=(
        OperationPattern(_path_pattern_of_method("generateContent"), "generate", "unary"),
        OperationPattern(_path_pattern_of_method("streamGenerateContent"), "generate", "stream"),
        OperationPattern(_path_pattern_of_method("countTokens"), "count_tokens"),
        OperationPattern(_path_pattern_of_method("(?:embedContent|batchEmbedContents)"), "embed"),
        OperationPattern(_path_pattern_of_method(r"\w+"), "other"),
        OperationPattern(re.compile(r"/v1(?:alpha|beta|beta1)/models(?:/[^/:]+)?$"), "models"),
    ),
    served_paths=re.compile(r"/v1(?:alpha|beta1?)?/(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/google/)?"
                            r"(?:models|tunedModels|endpoints)/[^/:]+:(?:streamG|g)enerateContent"),
    key_header="x-goog-api-key", model_in_path=True, turns_member="contents",
    smallest_request={"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]},
    function_name=re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}"), example_model="gemini-2.5-flash",
    framing=Framing(after_key=": ", line_end="\r\n", escaped="\u2028\u2029", also_array=True),
    model_member="modelVersion", shared_members=("responseId", "modelVersion"), token_count_member="totalTokens",
    sdk=SdkPackage("google-genai", "google.genai"), recording_labels=("gemini", "vertex"),
    numbered_enums={"finishReason": FINISH_REASONS, "type": SCHEMA_TYPES},
)  # fmt: skip
"""The version prefix is no part of the dialect's identity: google-genai 3.4 sends ``/v1``, its JavaScript sister
``/v1beta``, Vertex AI ``/v1beta1``. A path that ends in ``:method`` names the model before it.

Framing: CRLF, and nothing beside data lines: google-genai 3.4 raises on comments, event lines and [DONE] (measured).
U+2028 and U+2029 are escaped: gemini-cli 0.61 takes them for line ends and loses the event (measured). Without
``alt=sse`` a stream is one JSON array.
Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/api/caching#FunctionDeclaration,
https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference."""


class Blob(TypedDict, total=False):
    """``data``: base64."""

    mimeType: str
    data: Required[str]
    displayName: str


class FileData(TypedDict, total=False):
    mimeType: str
    fileUri: Required[str]


class PartialArg(TypedDict, total=False):
    """A piece of streamed arguments; exactly one value key."""

    jsonPath: str
    stringValue: str
    numberValue: float
    boolValue: bool
    nullValue: str | None
    willContinue: bool


class FunctionCall(TypedDict, total=False):
    """``args``: an object, never text. All absent: the end of a streamed call."""

    id: str
    name: str
    args: JsonObject | None
    partialArgs: list[PartialArg]
    willContinue: bool


class FunctionResponsePart(TypedDict, total=False):
    inlineData: Blob
    fileData: FileData


class FunctionResponse(TypedDict, total=False):
    """``response``: an object; a bare list or string is refused."""

    id: str
    name: Required[str]
    response: JsonObject
    parts: list[FunctionResponsePart]
    willContinue: bool
    scheduling: str


class ExecutableCode(TypedDict, total=False):
    id: str
    language: str
    code: Required[str]


class CodeExecutionResult(TypedDict, total=False):
    id: str
    outcome: str
    output: str


class Part(TypedDict, total=False):
    """A union by key. ``thought`` marks text as reasoning; ``thoughtSignature`` (base64) comes back with its part."""

    text: str
    thought: bool
    thoughtSignature: str
    inlineData: Blob
    fileData: FileData
    functionCall: FunctionCall
    functionResponse: FunctionResponse
    executableCode: ExecutableCode
    codeExecutionResult: CodeExecutionResult
    toolCall: JsonObject
    toolResponse: JsonObject
    videoMetadata: JsonObject
    mediaResolution: JsonObject
    partMetadata: JsonObject


class Content(TypedDict, total=False):
    """``role``: user or model (absent: user)."""

    role: str
    parts: list[Part]


class SafetyRating(TypedDict, total=False):
    category: str
    probability: str
    probabilityScore: float
    severity: str
    severityScore: float
    blocked: bool


class Candidate(TypedDict, total=False):
    """``finishReason``: a word; from Vertex AI's older SDKs its number."""

    index: int
    content: Content
    finishReason: str | int
    finishMessage: str
    safetyRatings: list[SafetyRating]
    citationMetadata: JsonObject
    groundingMetadata: JsonObject
    urlContextMetadata: JsonObject
    avgLogprobs: float
    logprobsResult: JsonObject
    tokenCount: int


class ModalityTokenCount(TypedDict, total=False):
    modality: str | int
    tokenCount: int


class UsageMetadata(TypedDict, total=False):
    """Counts of tokens; 0 is left out."""

    promptTokenCount: int
    candidatesTokenCount: int
    thoughtsTokenCount: int
    cachedContentTokenCount: int
    toolUsePromptTokenCount: int
    totalTokenCount: int
    promptTokensDetails: list[ModalityTokenCount]
    candidatesTokensDetails: list[ModalityTokenCount]
    cacheTokensDetails: list[ModalityTokenCount]
    toolUsePromptTokensDetails: list[ModalityTokenCount]
    trafficType: str | int
    serviceTier: str


class PromptFeedback(TypedDict, total=False):
    blockReason: str
    blockReasonMessage: str
    safetyRatings: list[SafetyRating]


class GenerateContentResponse(TypedDict, total=False):
    candidates: list[Candidate]
    promptFeedback: PromptFeedback
    usageMetadata: UsageMetadata
    modelVersion: str
    responseId: str
    createTime: str
    modelStatus: JsonObject


class ErrorBody(TypedDict, total=False):
    """``code``: the HTTP status; ``status``: its word, as INVALID_ARGUMENT."""

    code: Required[int]
    message: Required[str]
    status: str
    details: list[JsonObject]


class ErrorDocument(TypedDict):
    error: ErrorBody


class FunctionDeclaration(TypedDict, total=False):
    """``parameters``: Google's schema dialect; ``parametersJsonSchema``: JSON Schema. At most one of them."""

    name: Required[str]
    description: str | None
    parameters: JsonObject
    parametersJsonSchema: JsonObject
    response: JsonObject
    responseJsonSchema: JsonObject
    behavior: str


class Tool(TypedDict, total=False):
    """Functions, or a built-in tool by its key (googleSearch, codeExecution, urlContext, ...)."""

    functionDeclarations: list[FunctionDeclaration]
    googleSearch: JsonObject
    codeExecution: JsonObject
    urlContext: JsonObject


class FunctionCallingConfig(TypedDict, total=False):
    """``mode``: AUTO, ANY, NONE or VALIDATED."""

    mode: str
    allowedFunctionNames: list[str]
    streamFunctionCallArguments: bool


class ToolConfig(TypedDict, total=False):
    functionCallingConfig: FunctionCallingConfig
    retrievalConfig: JsonObject
    includeServerSideToolInvocations: bool


class ThinkingConfig(TypedDict, total=False):
    """``thinkingBudget``: tokens, 0 off, -1 dynamic; ``thinkingLevel``: Gemini 3 in its place."""

    includeThoughts: bool
    thinkingBudget: int
    thinkingLevel: str


class GenerationConfig(TypedDict, total=False):
    temperature: float
    topP: float
    topK: float
    candidateCount: int
    maxOutputTokens: int
    stopSequences: list[str]
    seed: int
    presencePenalty: float
    frequencyPenalty: float
    responseLogprobs: bool
    logprobs: int
    responseMimeType: str
    responseSchema: JsonObject
    responseJsonSchema: JsonObject
    responseModalities: list[str]
    thinkingConfig: ThinkingConfig
    speechConfig: JsonObject
    mediaResolution: str
    imageConfig: JsonObject
    audioTimestamp: bool
    routingConfig: JsonObject
    modelSelectionConfig: JsonObject
    enableAffectiveDialog: bool
    enableEnhancedCivicAnswers: bool


class GenerateContentRequest(TypedDict, total=False):
    contents: Required[list[Content]]
    systemInstruction: Content
    tools: list[Tool]
    toolConfig: ToolConfig
    generationConfig: GenerationConfig
    safetySettings: list[JsonObject]
    cachedContent: str
    labels: dict[str, str]
    serviceTier: str
    store: bool
