/** A Mastra server speaks A2A from the versions on that ask for Node 22.13; `a2aAgent` reads its form in `src/a2a/dialects`. */
import { test } from 'node:test';

const [major = 0] = process.versions.node.split('.').map(Number);

void test('an agent of Mastra asks and is answered', {
  skip:
    major < 22
      ? `NOT RUN: @mastra/core 1.x needs Node >= 22.13, this is ${process.versions.node}; only its form is tested`
      : 'NOT RUN: there is no test with a Mastra server yet; the unit tests cover its form only',
});
