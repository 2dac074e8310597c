/** `npm run bench`: ours against the official packages, in one process. See README.md. */
import { parseArgs } from 'node:util';
import { lonelyContests } from './cases/alone.ts';
import { binaryContests } from './cases/binary.ts';
import { encodeContests } from './cases/encode.ts';
import { largeFrameContests } from './cases/large-frame.ts';
import { stateDeltaContests } from './cases/state-deltas.ts';
import { textDeltaContests } from './cases/text-deltas.ts';
import type { Measured } from './measure.ts';
import { measure } from './measure.ts';
import { createTable } from './table.ts';

const CONTESTS = [
  ...encodeContests,
  ...binaryContests,
  ...textDeltaContests,
  ...stateDeltaContests,
  ...largeFrameContests,
  ...lonelyContests,
];

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const chosen = CONTESTS.filter(({ name }) => name.startsWith(values.only));
if (chosen.length === 0) {
  console.error(`No line starts with "${values.only}": ${CONTESTS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

// Silences the warnings of the peers.
console.warn = () => undefined;

const table = createTable(chosen.map(({ name }) => name));
const results: Measured[] = [];
if (!values.json) console.log(table.heading());
for (const contest of chosen) {
  const measured = await measure(contest);
  results.push(measured);
  if (!values.json) console.log(table.row(measured));
}
if (values.json) console.log(JSON.stringify(results, undefined, 2));
process.exitCode = results.every(({ met }) => met) ? 0 : 1;
