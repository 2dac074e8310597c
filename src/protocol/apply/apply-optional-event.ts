import type { AgentStreamEvent } from '../events.ts';
import type { ApplyOptional } from './create-applier-with.ts';
import { applyActivityDelta, applyActivitySnapshot } from './apply-activity.ts';
import { applyEncryptedValue } from './apply-encrypted-value.ts';

/** Applies an activity or an encrypted value. */
export const applyOptionalEvent: ApplyOptional = (event: AgentStreamEvent, { list, patch, warn }) => {
  switch (event.type) {
    case 'ACTIVITY_SNAPSHOT':
      applyActivitySnapshot(event, list);
      break;
    case 'ACTIVITY_DELTA':
      applyActivityDelta(event, { list, patch, warn });
      break;
    case 'REASONING_ENCRYPTED_VALUE':
      applyEncryptedValue(event, list);
      break;
    default:
      break;
  }
};
