/** The child side of `start-worker.ts`: opens one module and calls the functions that the module offers. */

type Tasks = Readonly<Record<string, (given: unknown) => unknown>>;
type Order = { readonly number: number; readonly given: unknown } & (
  | { readonly open: string }
  | { readonly task: string }
);

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
    (value) => process.send?.({ number: order.number, value }),
    (error: unknown) => process.send?.({ number: order.number, error }),
  );
});

// The bench has ended, perhaps by Ctrl-C.
process.on('disconnect', () => {
  void Promise.resolve(tasks['close']?.(undefined)).finally(() => process.exit());
});
