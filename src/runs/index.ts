/**
 * runs: one run on one thread, from its claim to its end: agents of ours and foreign ones, the event log, and streams that follow
 * a run. It asks the ledger for the claim, lets the engine work, and records in the ledger. Imports core, protocol, content,
 * store, ledger and engine.
 */
export { answerRules } from './begin-durable.ts';
export { defineAgent } from './define-agent.ts';
export type { GenerateOptions, GeneratingAgent } from './define-agent.ts';
export { generate } from './generate.ts';
export type { OneShotOptions } from './generate.ts';
export { readConversation } from './conversation.ts';
export { assertForeignSchemas } from './end-foreign.ts';
export { createFeed, endsRun, followRun, followThread, readWhenStored, threadChanges } from './follow-run.ts';
export type { PlacedEvent, ThreadFeed } from './follow-run.ts';
export {
  contentId,
  publishInterrupts,
  readForeignTurn,
  renameForeign,
  writeForeignTurn,
} from './foreign-turn.ts';
export { toHostAgent } from './host-agent.ts';
export type { AgentLike, ForeignAgent, HostAgent, Reconciled } from './host-agent.ts';
export { asIsEvents, joinThread, readThreadAsIs } from './thread-as-is.ts';
export type { Joined, ThreadAsIs } from './thread-as-is.ts';
export { fitCommandAnswers } from './fit-command-answers.ts';
export { nameByParentRun } from './name-by-parent-run.ts';
export type { LiveRun, RunRequest } from './run-request.ts';
export { createNotifier } from './notify-interrupts.ts';
export type { NotifyInterrupts, OnInterrupt } from './notify-interrupts.ts';
export { runStored } from './run-stored.ts';
export type { StoredEnd, StoredOptions } from './run-stored.ts';
export { createRuns } from './runs.ts';
export type { Runs } from './runs.ts';
export { canStandIn, standInFor } from './stand-in.ts';
