import type { CoreEvent } from './core-event.ts';

/** `screaming` is AG-UI 1.0: `RUN_STARTED`, `runId`. `snake` is `run_started`, `run_id`. */
export type Naming = 'screaming' | 'snake';

type SnakeKey<Key> = Key extends `${infer Head}Id`
  ? `${Head}_id`
  : Key extends `${infer Head}Version`
    ? `${Head}_version`
    : Key;

/** An event with its type and its field names in snake_case; the values are unchanged. */
export type SnakeEvent<Event> = Event extends CoreEvent
  ? {
      readonly [Key in keyof Event as SnakeKey<Key>]: Key extends 'type'
        ? Lowercase<Event['type']>
        : Event[Key];
    }
  : never;

/** The events of a stream in a naming. */
export type EventIn<Chosen extends Naming> = Chosen extends 'snake' ? SnakeEvent<CoreEvent> : CoreEvent;

/** Returns the event in the chosen naming. */
export function nameEvent<Chosen extends Naming>(
  event: CoreEvent,
  naming: Chosen | undefined,
): EventIn<Chosen> {
  const named = naming === 'snake' ? toSnake(event) : event;
  // The compiler does not follow a conditional type through a runtime check of the same condition.
  return named as EventIn<Chosen>;
}

function toSnake(event: CoreEvent): object {
  const fields = Object.entries(event).map(([key, value]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { ...Object.fromEntries(fields), type: event.type.toLowerCase() };
}
