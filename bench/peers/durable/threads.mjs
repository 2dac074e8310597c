/** Cycles that a thread takes before another is used: a tenth of its earlier turns, so that its length stays what it was. */
const SHARE = 0.1;

/** Which thread the next cycle is on: always a fresh one, or one with so many earlier turns. */
export function threadsOf({ seed }, turns) {
  let made = 0;
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
        left = turns * SHARE;
      }
      left -= 1;
      return thread;
    },
  };
}
