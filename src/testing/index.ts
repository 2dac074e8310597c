/** testing: parts for the tests of those who use Holdpoint, and for its own. */
export { scriptedModel } from './scripted-model.ts';
export type { Script, ScriptedModel, ScriptedTurn } from './scripted-model.ts';
