/**
 * stream: tier 1, turns any text stream into six AG-UI events, without interrupts. Needs no package and no Node
 * built-in; imports only files of core that need none either.
 */
export type {
  CoreEvent,
  RunErrorEvent,
  RunFinishedEvent,
  RunStartedEvent,
  TextMessageContentEvent,
  TextMessageEndEvent,
  TextMessageStartEvent,
} from './core-event.ts';
export type { EventIn, Naming, SnakeEvent } from './naming.ts';
export type { StreamOptions } from './stream-options.ts';
export type { TextChunk, TextPart, TextResult, TextSource, TextStream } from './text-source.ts';
export { toAguiEvents } from './to-agui-events.ts';
export { toAguiResponse } from './to-agui-response.ts';
export type { ResponseOptions } from './to-agui-response.ts';
