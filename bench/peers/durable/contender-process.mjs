/** The process of one contender. It does what start-contender.mjs asks for, one thing after the other, and ends with it. */
import { CLASSES } from './classes.mjs';
import { connect } from './connect.mjs';
import { footprint } from './footprint.mjs';
import { createRunner } from './runner.mjs';

let contender;
let place;
let runner;

const tasks = {
  async open({ store, name, written, ...given }) {
    place = connect(given.place);
    contender = { name, ...(await CLASSES[store].contenders[name](place, written)) };
  },
  footprint: (turns) => footprint(contender, { place, turns }),
  async warmUp(situation) {
    runner = createRunner(contender, situation);
    await runner.warmUp();
  },
  slice: () => runner.slice(),
};

process.on('disconnect', () => process.exit());
process.on('message', ({ task, given }) => {
  tasks[task](given).then(
    (value) => tell({ value }),
    (error) => tell({ error }),
  );
});

function tell(answer) {
  if (process.connected) process.send(answer);
}
