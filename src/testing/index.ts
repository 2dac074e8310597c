/** testing: a host in memory, a clock, a model and answers for the tests of applications and of Holdpoint itself. */
export { fakeClock } from './fake-clock.ts';
export type { FakeClock } from './fake-clock.ts';
export { runToEnd } from './run-to-end.ts';
export type { RunToEnd } from './run-to-end.ts';
export { scriptedModel } from './scripted-model.ts';
export type { Script, ScriptedModel, ScriptedTurn } from './scripted-model.ts';
export { createTestHost } from './test-host.ts';
export type { TestClientOptions, TestHost, TestHostOptions } from './test-host.ts';
