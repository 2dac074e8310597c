import type { SubagentFinishedOutcome } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { defined, HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';
import type { Scope } from './scope.ts';
import { createScope } from './scope.ts';
import type { StreamEmitter, SubagentEmitter, SubagentOptions } from './stream-emitter.ts';

/** Creates a subagent's scope within its parent's; `within` creates the emitter of the subagent. */
export function createSubagentEmitter(
  parent: Scope,
  options: SubagentOptions,
  within: (scope: Scope) => StreamEmitter,
): SubagentEmitter {
  const { subagentRunId = parent.newId(), name, ...rest } = options;
  const parentSubagentRunId = parent.owner.subagentRunId;
  parent.write({
    type: EventType.SUBAGENT_STARTED,
    subagentRunId,
    name,
    ...rest,
    ...defined({ parentSubagentRunId }),
  });
  let ended = false;
  let ending: AgentStreamEvent | undefined;
  const write = (event: AgentStreamEvent) => {
    if (ended)
      throw new HoldpointError(
        'INTERNAL',
        `The subagent ${subagentRunId} has ended and cannot write events.`,
      );
    parent.write(event);
  };
  const scope = createScope({ write, newId: parent.newId, owner: { subagentRunId } });
  const closer = parent.opened((reason) => {
    scope.closeAll(reason);
    ended = true;
    const outcome: SubagentFinishedOutcome = { type: reason === 'interrupt' ? 'suspended' : 'success' };
    parent.write(ending ?? { type: EventType.SUBAGENT_FINISHED, subagentRunId, outcome });
  }, scope);
  const endWith = (event: AgentStreamEvent) => {
    ending ??= event;
    closer.close('end');
  };
  return {
    ...within(scope),
    subagentRunId,
    finish({ result } = {}) {
      endWith({
        type: EventType.SUBAGENT_FINISHED,
        subagentRunId,
        ...defined({ result }),
        outcome: { type: 'success' },
      });
    },
    suspend(interruptIds) {
      const outcome: SubagentFinishedOutcome = { type: 'suspended', interruptIds: [...interruptIds] };
      endWith({ type: EventType.SUBAGENT_FINISHED, subagentRunId, outcome });
    },
    fail(message, { code } = {}) {
      endWith({
        type: EventType.SUBAGENT_ERROR,
        subagentRunId,
        message,
        ...defined({ code }),
      });
    },
  };
}
