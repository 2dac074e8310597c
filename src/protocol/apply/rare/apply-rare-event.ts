import type { AgentStreamEvent } from '../../events/index.ts';
import type { ApplyRare } from '../create-applier-with.ts';
import { applyActivityDelta, applyActivitySnapshot } from './apply-activity.ts';
import { applyEncryptedValue } from './apply-encrypted-value.ts';
import { applyMessagesSnapshot } from './apply-messages-snapshot.ts';

/** Applies a snapshot of messages, an activity or an encrypted value. */
export const applyRareEvent: ApplyRare = (event: AgentStreamEvent, { list, patch, warn }) => {
  switch (event.type) {
    case 'MESSAGES_SNAPSHOT':
      applyMessagesSnapshot(event, list);
      break;
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
