import * as fc from 'fast-check';
import { runs, SEED } from './size.ts';

fc.configureGlobal({ seed: SEED, numRuns: runs(50) });
