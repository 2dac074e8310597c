import type { AskOptions } from '../tools/tool-context.ts';
import type { InterruptPart } from '../tools/tool-replies.ts';

/** What a body waits for: a question of its own, or one of those it handed work to. */
export type BodyQuestion = { readonly options: AskOptions } | { readonly part: InterruptPart };
