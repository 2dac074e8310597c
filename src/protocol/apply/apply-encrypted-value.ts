import type { ReasoningEncryptedValueEvent } from '@ag-ui/core';
import type { MessageList } from './message-list.ts';

/** Adds an encrypted value, which only its provider can read, to its message or call. */
export function applyEncryptedValue(event: ReasoningEncryptedValueEvent, list: MessageList): void {
  const { subtype, entityId, encryptedValue } = event;
  if (subtype === 'tool-call') {
    list.changeCall(entityId, (call) => {
      call.encryptedValue = encryptedValue;
    });
  } else if (list.find(entityId)?.role !== 'activity') {
    list.change(entityId, (message) => {
      if (message.role !== 'activity') message.encryptedValue = encryptedValue;
    });
  }
}
