import type { EventType } from '@ag-ui/core';
import type { AgentStreamEvent } from '../events.ts';
import type { ApprovalDecidedEvent, ApprovalRequestedEvent } from './approval-events.ts';

/** `toolCallId` → `tool_call_id`. */
type SnakeName<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeName<Tail>}`
  : Name;

/** A value with its members renamed; values of any type stay as they are. */
type SnakeValue<Value> = unknown extends Value
  ? Value
  : Value extends readonly (infer Item)[]
    ? SnakeValue<Item>[]
    : Value extends object
      ? { [Name in keyof Value as Name extends string ? SnakeName<Name> : never]: SnakeValue<Value[Name]> }
      : Value;

type SnakeEvent<Event extends { readonly type: EventType }> = Event extends unknown
  ? Omit<SnakeValue<Event>, 'type' | 'timestamp'> & {
      readonly type: Lowercase<`${Event['type']}`>;
      /** Milliseconds since the Unix epoch. */
      readonly timestamp: number;
    }
  : never;

/** Every event of a stream in the snake dialect: those of AG-UI, and the two about approvals. The guards narrow it. */
export type SnakeStreamEvent = SnakeEvent<AgentStreamEvent> | ApprovalRequestedEvent | ApprovalDecidedEvent;
