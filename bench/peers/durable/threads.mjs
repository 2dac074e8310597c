/** Cycles that a thread takes before another is used: a tenth of its earlier turns, so that its length stays what it was. */
const SHARE = 0.1;

let made = 0;

/** Which thread the next cycle is on: always a fresh one, or one with so many earlier turns, for as many cycles as that. */
export function threadsOf({ seed }, turns, cycles = turns * SHARE) {
  let left = 0;
  const fresh = () => {
    made += 1;
    return `thread-${made}`;
  };
  if (turns === 0) return { next: fresh };
  let thread;
  return {
    async next() {
      if (left === 0) {
        thread = fresh();
        await seed(thread, turns);
        left = cycles;
      }
      left -= 1;
      return thread;
    },
  };
}
