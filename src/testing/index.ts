/** testing: models for the tests of applications and of Holdpoint itself. */
export { scriptedModel } from './scripted-model.ts';
export type { Script, ScriptedModel, ScriptedTurn } from './scripted-model.ts';
