import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

/** These names are public API. A change needs documentation and an entry in the change log. */
const exportsOf = async (entry: string) => Object.keys((await import(entry)) as object).toSorted();

describe('the public API', () => {
  it('the public API has these package entries', () => {
    expect(Object.keys(manifest.exports)).toMatchInlineSnapshot(`
      [
        ".",
        "./protocol",
        "./stream",
        "./content",
        "./ledger",
        "./host",
        "./node",
        "./express",
        "./fastify",
        "./client",
        "./elements",
        "./elements.css",
        "./react",
        "./a2a",
        "./testing",
        "./langgraph",
        "./ai-sdk",
        "./openai-agents",
        "./mastra",
        "./genkit",
        "./ag-ui",
        "./store/memory",
        "./store/sqlite",
        "./store/postgres",
        "./store/testing",
        "./package.json",
      ]
    `);
  });

  it('exports these names from holdpoint', async () => {
    expect(await exportsOf('holdpoint')).toMatchInlineSnapshot(`
      [
        "HoldpointError",
        "agentTool",
        "answer",
        "approve",
        "askForFile",
        "cancel",
        "contentAgent",
        "contentResult",
        "defineAgent",
        "defineExit",
        "defineInterrupt",
        "defineTool",
        "generate",
        "isSuspension",
        "memoryGrants",
        "recentMessages",
        "reject",
        "storeGrants",
        "useTelemetry",
        "withApproval",
      ]
    `);
  });

  it('exports these names from holdpoint/protocol', async () => {
    expect(await exportsOf('holdpoint/protocol')).toMatchInlineSnapshot(`
      [
        "AGUI_BINARY_MEDIA_TYPE",
        "DIALECTS",
        "ERROR_FOLLOWS",
        "EventType",
        "InterruptReason",
        "PROTOCOL_VERSION",
        "RunFinishedOutcome",
        "SSE_HEADERS",
        "SSE_KEEP_ALIVE",
        "UNNAMED_INTERRUPT",
        "aggregateTokenUsage",
        "approvalOf",
        "buildResume",
        "createApplier",
        "createBinaryParser",
        "createChunkExpander",
        "createEmitter",
        "createEventReader",
        "createEventWriter",
        "createSseEncoder",
        "createSseParser",
        "createVerifier",
        "decodeBinaryEvent",
        "decodeEvent",
        "decodeInput",
        "decodeRunInput",
        "dialectNamed",
        "encodeBinaryEvent",
        "encodeBinaryFrame",
        "expiryOf",
        "functionDetails",
        "interruptsOf",
        "isActivityDelta",
        "isActivitySnapshot",
        "isApprovalDecided",
        "isApprovalRequested",
        "isCustom",
        "isExpired",
        "isMessagesSnapshot",
        "isRaw",
        "isReasoningEncryptedValue",
        "isReasoningEnd",
        "isReasoningMessageChunk",
        "isReasoningMessageContent",
        "isReasoningMessageEnd",
        "isReasoningMessageStart",
        "isReasoningStart",
        "isRunError",
        "isRunFinished",
        "isRunStarted",
        "isStateDelta",
        "isStateSnapshot",
        "isStepFinished",
        "isStepStarted",
        "isSubagentError",
        "isSubagentFinished",
        "isSubagentStarted",
        "isTextMessageChunk",
        "isTextMessageContent",
        "isTextMessageEnd",
        "isTextMessageStart",
        "isToolCallArgs",
        "isToolCallChunk",
        "isToolCallEnd",
        "isToolCallResult",
        "isToolCallStart",
        "outcomeOf",
        "patchJson",
        "payloadOf",
        "protocolJsonSchema",
        "readEvents",
        "reasonKind",
        "schemaEffectOf",
        "validateCoverage",
      ]
    `);
  });

  it('exports these names from holdpoint/content', async () => {
    expect(await exportsOf('holdpoint/content')).toMatchInlineSnapshot(`
      [
        "INTERRUPT_KINDS",
        "answer",
        "answerEffect",
        "answerFormsOf",
        "approvalResponse",
        "approvalResponseSchema",
        "approve",
        "assertAnswer",
        "cancel",
        "cancelledResponse",
        "checkAnswer",
        "contentsToMessages",
        "contentsToResume",
        "createContentReader",
        "createContentRegistry",
        "createContentWriter",
        "fromInterrupt",
        "fromResume",
        "inputResponse",
        "isApprovable",
        "isApproved",
        "isAudioContent",
        "isErrorContent",
        "isFileContent",
        "isFunctionApprovalRequest",
        "isFunctionApprovalResponse",
        "isFunctionCall",
        "isFunctionResult",
        "isImageContent",
        "isMediaContent",
        "isReasoningContent",
        "isTextContent",
        "isUserInputRequest",
        "isUserInputResponse",
        "isVideoContent",
        "messageToContents",
        "offersEdits",
        "reject",
        "respond",
        "responseSchemaOf",
        "restart",
        "schemaOfForm",
        "toInterrupt",
        "toResume",
        "writeContents",
      ]
    `);
  });

  it('exports these names from holdpoint/stream', async () => {
    expect(await exportsOf('holdpoint/stream')).toMatchInlineSnapshot(`
      [
        "toAguiEvents",
        "toAguiResponse",
      ]
    `);
  });

  it('exports these names from holdpoint/ledger', async () => {
    expect(await exportsOf('holdpoint/ledger')).toMatchInlineSnapshot(`
      [
        "anchorAll",
        "erasePerson",
        "eraseThread",
        "exportHistory",
        "listInterrupts",
        "pruneThreads",
        "readHistory",
        "readInterrupt",
        "verifyAll",
        "verifyHistory",
        "withdrawInterrupt",
      ]
    `);
  });

  it('exports these names from holdpoint/host', async () => {
    expect(await exportsOf('holdpoint/host')).toMatchInlineSnapshot(`
      [
        "callLog",
        "createHost",
        "createRegistry",
        "objectFiles",
      ]
    `);
  });

  it('exports these names from holdpoint/node', async () => {
    expect(await exportsOf('holdpoint/node')).toMatchInlineSnapshot(`
      [
        "folderFiles",
        "serve",
        "staticPages",
        "toNodeHandler",
        "webPages",
      ]
    `);
  });

  it('exports these names from holdpoint/express', async () => {
    expect(await exportsOf('holdpoint/express')).toMatchInlineSnapshot(`
      [
        "toExpress",
      ]
    `);
  });

  it('exports these names from holdpoint/fastify', async () => {
    expect(await exportsOf('holdpoint/fastify')).toMatchInlineSnapshot(`
      [
        "toFastify",
      ]
    `);
  });

  it('exports these names from holdpoint/client', async () => {
    expect(await exportsOf('holdpoint/client')).toMatchInlineSnapshot(`
      [
        "HoldpointError",
        "answer",
        "answerFormsOf",
        "approve",
        "cancel",
        "createClient",
        "isApprovable",
        "reject",
        "respond",
        "responseSchemaOf",
        "restart",
        "schemaOfForm",
      ]
    `);
  });

  it('exports these names from holdpoint/elements', async () => {
    expect(await exportsOf('holdpoint/elements')).toMatchInlineSnapshot(`
      [
        "DECISION_ICONS",
        "HoldpointChatElement",
        "HoldpointComposerElement",
        "HoldpointCountdownElement",
        "HoldpointElement",
        "HoldpointFormElement",
        "HoldpointHistoryElement",
        "HoldpointInboxElement",
        "HoldpointInterruptElement",
        "HoldpointMessagesElement",
        "ago",
        "announce",
        "answerWords",
        "answeredWords",
        "browserStorage",
        "cardFacts",
        "changesBetween",
        "createConversation",
        "createInboxStore",
        "createRequest",
        "decisionOf",
        "defineElements",
        "duration",
        "errorSentence",
        "german",
        "givenAnswerOf",
        "icon",
        "isPlainApproval",
        "itemKey",
        "language",
        "moment",
        "plainAnswer",
        "readInboxQuery",
        "reasonLabel",
        "recipientOf",
        "registerCard",
        "rowTitle",
        "setStrings",
        "setViewer",
        "showValue",
        "toCsv",
        "toInboxFilter",
        "toRecord",
        "toRow",
        "toWords",
        "translate",
        "translateParts",
        "uploadTo",
        "visibleText",
        "whoMayAnswer",
        "writeInboxQuery",
      ]
    `);
  });

  it('exports these names from holdpoint/a2a', async () => {
    expect(await exportsOf('holdpoint/a2a')).toMatchInlineSnapshot(`
      [
        "a2aAgent",
        "readInput",
        "requestInput",
        "storeTaskStore",
        "toA2a",
      ]
    `);
  });

  it('exports these names from holdpoint/testing', async () => {
    expect(await exportsOf('holdpoint/testing')).toMatchInlineSnapshot(`
      [
        "createTestHost",
        "fakeClock",
        "runToEnd",
        "scriptedModel",
      ]
    `);
  });

  it('exports these names from holdpoint/langgraph', async () => {
    expect(await exportsOf('holdpoint/langgraph')).toMatchInlineSnapshot(`
      [
        "fromLangGraph",
      ]
    `);
  });

  it('exports these names from holdpoint/ai-sdk', async () => {
    expect(await exportsOf('holdpoint/ai-sdk')).toMatchInlineSnapshot(`
      [
        "fromAiSdk",
        "fromAiSdkAgent",
      ]
    `);
  });

  it('exports these names from holdpoint/openai-agents', async () => {
    expect(await exportsOf('holdpoint/openai-agents')).toMatchInlineSnapshot(`
      [
        "fromOpenAiAgents",
      ]
    `);
  });

  it('exports these names from holdpoint/mastra', async () => {
    expect(await exportsOf('holdpoint/mastra')).toMatchInlineSnapshot(`
      [
        "fromMastra",
      ]
    `);
  });

  it('exports these names from holdpoint/genkit', async () => {
    expect(await exportsOf('holdpoint/genkit')).toMatchInlineSnapshot(`
      [
        "fromGenkit",
      ]
    `);
  });

  it('exports these names from holdpoint/ag-ui', async () => {
    expect(await exportsOf('holdpoint/ag-ui')).toMatchInlineSnapshot(`
      [
        "fromAgUi",
        "holdpointAgent",
        "toAbstractAgent",
      ]
    `);
  });

  it('exports these names from holdpoint/store/memory', async () => {
    expect(await exportsOf('holdpoint/store/memory')).toMatchInlineSnapshot(`
      [
        "memoryStore",
      ]
    `);
  });

  it('exports these names from holdpoint/store/sqlite', async () => {
    expect(await exportsOf('holdpoint/store/sqlite')).toMatchInlineSnapshot(`
      [
        "inspectSqlite",
        "migrateSqlite",
        "restoreSqlite",
        "sqliteStore",
      ]
    `);
  });

  it('exports these names from holdpoint/store/postgres', async () => {
    expect(await exportsOf('holdpoint/store/postgres')).toMatchInlineSnapshot(`
      [
        "inspectPostgres",
        "migratePostgres",
        "postgresStore",
      ]
    `);
  });

  it('exports these names from holdpoint/store/testing', async () => {
    expect(await exportsOf('holdpoint/store/testing')).toMatchInlineSnapshot(`
      [
        "storeContract",
      ]
    `);
  });
});
