import { SSE_HEADERS } from '@a2a-js/sdk';

export interface StreamForm {
  readonly frame: (event: unknown) => string;
  /** The response if the stream fails before its first event. */
  readonly refuse: (error: unknown) => Response;
  /** The last frame of a stream that failed. */
  readonly failed: (error: unknown) => string;
}

/** An SSE response with the events. A reader that disconnects ends the source; `reader` is aborted then. */
export async function streamResponse(
  events: AsyncIterable<unknown>,
  form: StreamForm,
  reader: AbortController,
): Promise<Response> {
  const iterator = events[Symbol.asyncIterator]();
  let next: IteratorResult<unknown> | undefined;
  try {
    next = await iterator.next();
  } catch (error) {
    return form.refuse(error);
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const event = next ?? (await iterator.next());
        next = undefined;
        if (event.done === true) controller.close();
        else controller.enqueue(encoder.encode(form.frame(event.value)));
      } catch (error) {
        controller.enqueue(encoder.encode(form.failed(error)));
        controller.close();
      }
    },
    async cancel() {
      reader.abort();
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { ...SSE_HEADERS } });
}
