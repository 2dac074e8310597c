import { expect, expectTypeOf, it } from 'vitest';
import { scriptedModel } from '../testing/index.ts';
import type { GenerateOptions } from './index.ts';
import { defineAgent } from './index.ts';

it('generate offers a caller the options of a caller, and none that runs and hosts pass', async () => {
  expectTypeOf<keyof GenerateOptions>().toEqualTypeOf<
    | 'prompt'
    | 'messages'
    | 'resume'
    | 'clientTools'
    | 'state'
    | 'maxTurns'
    | 'threadId'
    | 'runId'
    | 'principal'
    | 'answeredBy'
    | 'signal'
    | 'mode'
    | 'policies'
    | 'grants'
    | 'files'
    | 'newId'
    | 'clock'
    | 'interruptTtlMs'
    | 'onWarning'
    | 'onError'
    | 'store'
    | 'leaseMs'
    | 'uncovered'
    | 'secretKey'
    | 'onExpire'
    | 'quotas'
    | 'onInterrupt'
  >();
  const agent = defineAgent({ id: 'a', model: scriptedModel(['Hello.']) });
  expectTypeOf(agent.generate).parameter(0).toEqualTypeOf<GenerateOptions>();
  expect((await agent.generate({ prompt: 'hi' })).text).toBe('Hello.');
});
