import * as fc from 'fast-check';

// On a developer's machine every run looks somewhere new. A gate has to give the same answer for the same code.
if (process.env['CI'] !== undefined) fc.configureGlobal({ seed: 20_261_115 });
