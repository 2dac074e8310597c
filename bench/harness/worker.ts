/** The child side of `start-worker.ts`: opens one module and calls the functions that the module offers, one at a time. */

type Tasks = Readonly<Record<string, (given: unknown) => unknown>>;
type Order =
  | { readonly open: string; readonly given: unknown }
  | { readonly task: string; readonly given: unknown };

let tasks: Tasks = {};

async function obey(order: Order): Promise<unknown> {
  if ('open' in order) {
    const module = (await import(order.open)) as { open(given: unknown): Promise<Tasks> };
    tasks = await module.open(order.given);
    return undefined;
  }
  const task = tasks[order.task];
  if (task === undefined) throw new Error(`There is no task "${order.task}".`);
  return task(order.given);
}

process.on('message', (order: Order) => {
  obey(order).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error }),
  );
});

// The bench has ended, perhaps by Ctrl-C.
process.on('disconnect', () => {
  void Promise.resolve(tasks['close']?.(undefined)).finally(() => process.exit());
});
