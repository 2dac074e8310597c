import type { AgentStreamEvent, DialectName } from '../../protocol/index.ts';
import {
  AGUI_BINARY_MEDIA_TYPE,
  createEventWriter,
  createSseEncoder,
  encodeBinaryFrame,
} from '../../protocol/index.ts';
import type { StreamForm } from './negotiate.ts';

/** Writes events in the form a client asked for. */
export interface EventEncoder {
  readonly contentType: string | undefined;
  /** `id` is the place in the thread's log, by which a reader can come back. */
  encode(event: AgentStreamEvent, id?: number): string | Uint8Array<ArrayBuffer>;
}

export function createEventEncoder(form: StreamForm, dialect: DialectName): EventEncoder {
  if (form === 'binary') {
    return {
      contentType: AGUI_BINARY_MEDIA_TYPE,
      encode: (event) => new Uint8Array(encodeBinaryFrame(event)),
    };
  }
  const write = createEventWriter(dialect);
  const sse = createSseEncoder();
  return {
    contentType: undefined,
    encode(event, id) {
      const all = write(event);
      let text = '';
      // Whoever comes back by an id has had all of its event.
      for (const one of all) text += sse.encode(one, one === all.at(-1) ? id : undefined);
      return text;
    },
  };
}
