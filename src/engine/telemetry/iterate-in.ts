import type { TelemetryApi, TelemetryContext } from './telemetry-api.ts';

/**
 * Reads values in a context: each step of whoever makes them runs there, whoever reads them. Closes the source when
 * the reader leaves.
 */
export async function* iterateIn<Value>(
  api: TelemetryApi,
  context: TelemetryContext,
  open: () => AsyncIterable<Value>,
): AsyncGenerator<Value, void, undefined> {
  const iterator = api.context.with(context, () => open()[Symbol.asyncIterator]());
  let reading = false;
  try {
    for (;;) {
      reading = false;
      const step = await api.context.with(context, () => iterator.next());
      if (step.done === true) return;
      reading = true;
      yield step.value;
    }
  } finally {
    if (reading) await api.context.with(context, () => iterator.return?.());
  }
}
