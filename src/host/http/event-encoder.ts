import { HoldpointError } from '../../core/index.ts';
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

export type StreamForm = 'sse' | 'binary';

interface Accepted {
  readonly type: string;
  readonly quality: number;
  readonly place: number;
}

/** Which form a client wants its events in: the first of those it likes best. Throws `NOT_ACCEPTABLE`. */
export function negotiateForm(accept: string | null): StreamForm {
  if (accept === null || accept.trim() === '') return 'sse';
  const wanted = accept
    .split(',')
    .map((part, place): Accepted => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { type, quality: quality === undefined ? 1 : Number(quality), place };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality || one.place - other.place);
  for (const { type } of wanted) {
    if (type === AGUI_BINARY_MEDIA_TYPE) return 'binary';
    // Clients that ask for JSON alone mean the events.
    if (['text/event-stream', 'text/*', '*/*', 'application/json', 'application/*'].includes(type))
      return 'sse';
  }
  throw new HoldpointError(
    'NOT_ACCEPTABLE',
    `Events come as text/event-stream or ${AGUI_BINARY_MEDIA_TYPE}.`,
  );
}
