import { HoldpointError } from '../../core/index.ts';
import type { Journal } from '../journal/journal.ts';
import type { ToolContext } from '../tools/tool-context.ts';
import type { BodyQuestion } from './body-question.ts';
import type { RunContext } from './run-context.ts';

interface Internals {
  readonly journal: Journal<BodyQuestion>;
  readonly run: RunContext;
}

const internals = new WeakMap<ToolContext, Internals>();

/** Keeps what is behind a context out of its author's sight. */
export function setInternals(context: ToolContext, behind: Internals): void {
  internals.set(context, behind);
}

/** What is behind a context, for agents written as code, which hand work to others. */
export function internalsOf(context: ToolContext): Internals {
  const behind = internals.get(context);
  if (behind === undefined)
    throw new HoldpointError('INTERNAL', 'This is not the context that the tool was given.');
  return behind;
}
