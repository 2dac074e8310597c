import type { DialectName } from '../../protocol/index.ts';
import {
  AGUI_BINARY_MEDIA_TYPE,
  createEventWriter,
  createSseEncoder,
  dialectNamed,
  encodeBinaryFrame,
} from '../../protocol/index.ts';
import type { HostAgent, PlacedEvent } from '../../runs/index.ts';
import type { HostOptions } from '../host-options.ts';
import type { StreamForm } from './negotiate.ts';

/** Writes events in the form a client asked for. */
export interface EventEncoder {
  readonly contentType: string | undefined;
  /** Events in as few pieces as the form allows; by the place of one in the thread's log a reader can come back. */
  encode(events: readonly PlacedEvent[]): readonly (string | Uint8Array<ArrayBuffer>)[];
}

/** The form that a request wants: it says so itself, or its agent does, or the host. Throws `PROTOCOL_UNSUPPORTED`. */
export function dialectFor(
  request: Request,
  agent: Pick<HostAgent, 'dialect'> | undefined,
  { dialect = '1.0' }: Pick<HostOptions, 'dialect'>,
): DialectName {
  return dialectNamed(request.headers.get('ag-ui-dialect') ?? agent?.dialect ?? dialect).name;
}

export function createEventEncoder(form: StreamForm, dialect: DialectName): EventEncoder {
  if (form === 'binary') {
    return {
      contentType: AGUI_BINARY_MEDIA_TYPE,
      encode: (events) => events.map(({ event }) => new Uint8Array(encodeBinaryFrame(event))),
    };
  }
  const write = createEventWriter(dialect);
  const sse = createSseEncoder();
  return {
    contentType: undefined,
    encode(events) {
      let text = '';
      for (const { event, place } of events) {
        const all = write(event);
        // Whoever comes back by an id has had all of its event.
        for (const one of all) text += sse.encode(one, one === all.at(-1) ? place : undefined);
      }
      return [text];
    },
  };
}
