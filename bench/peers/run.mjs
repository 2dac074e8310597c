/** `npm run bench` in this folder: one interrupt → resume cycle, ours and the peers', in one process. See ../README.md. */
import { parseArgs } from 'node:util';
import { aiSdkApproval } from './contenders/ai-sdk.mjs';
import { genkitRestart } from './contenders/genkit.mjs';
import { holdpointApproval, holdpointRestart } from './contenders/holdpoint.mjs';
import { judge } from './judge.mjs';
import { measure, median } from './measure.mjs';
import { heading, row, summary } from './table.mjs';

const HISTORIES = [0, 50, 500];
const CONTENDERS = {
  'ours, approval': holdpointApproval,
  'ours, restart': holdpointRestart,
  'Genkit, restart': genkitRestart,
  'AI SDK, approval': aiSdkApproval,
};

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const print = values.json ? () => undefined : console.log;
const measured = [];
print(heading(Object.keys(CONTENDERS)));
for (const turns of HISTORIES) {
  const contenders = Object.entries(CONTENDERS).map(([name, create]) => ({ name, ...create(turns) }));
  const times = await measure(contenders);
  measured.push({ turns, times });
  print(row(turns, times));
}
const { growth, budgets } = judge(measured);
print(summary(growth, budgets));
if (values.json) {
  const cycles = measured.map(({ turns, times }) => ({
    turns,
    milliseconds: Object.fromEntries([...times].map(([name, list]) => [name, median(list)])),
  }));
  console.log(JSON.stringify({ node: process.version, cycles, growth, budgets }, undefined, 2));
}
process.exitCode = budgets.every(({ met }) => met) ? 0 : 1;
