import { HoldpointError } from '../../core/index.ts';

/** The streams that are open in this process, so that they are neither too many nor cut off at the end. */
export interface OpenStreams {
  /**
   * Counts one until what it gives back is called; `run` for one that ends with its run, `endless` for one that only its
   * reader ends. Throws `RATE_LIMITED` for one too many.
   */
  open(kind: 'run' | 'endless'): () => void;
  /** Fires when those that should have ended by themselves have to. */
  readonly stopping: AbortSignal;
  /** Waits at most so long for those that end by themselves. */
  close(limitMs: number): Promise<void>;
}

export function createOpenStreams(limit: number): OpenStreams {
  const stop = new AbortController();
  const open = { run: 0, endless: 0 };
  let isLast: () => void = () => undefined;
  return {
    stopping: stop.signal,
    open(kind) {
      if (open.run + open.endless >= limit) {
        throw new HoldpointError('RATE_LIMITED', `${limit} streams are open here already; try again.`);
      }
      open[kind] += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        open[kind] -= 1;
        if (open.run === 0) isLast();
      };
    },
    async close(limitMs) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      if (open.run > 0) {
        await new Promise<void>((resolve) => {
          isLast = resolve;
          timer = setTimeout(resolve, limitMs);
        });
      }
      clearTimeout(timer);
      stop.abort();
    },
  };
}
