import type { AGUIEventByType, EventType } from '@ag-ui/core';

/** The events of the snake dialect that AG-UI does not have. */
export interface ApprovalRequestedEvent {
  readonly type: 'approval_requested';
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
  readonly approval_id: string;
  readonly tool_id: string;
  readonly tool_name: string;
  readonly parameters: unknown;
  readonly parameters_summary?: string;
}

/** The decision about an approval; it follows the `run_started` of the run that continues with it. */
export interface ApprovalDecidedEvent {
  readonly type: 'approval_decided';
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
  readonly approval_id: string;
  /** `cancelled`: no answer will come. */
  readonly decision: 'approved' | 'rejected' | 'cancelled';
}

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
export type SnakeStreamEvent =
  | SnakeEvent<AGUIEventByType[EventType]>
  | ApprovalRequestedEvent
  | ApprovalDecidedEvent;
