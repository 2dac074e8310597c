import { HoldpointError } from '../../core/index.ts';
import { AGUI_BINARY_MEDIA_TYPE } from '../../protocol/index.ts';

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
