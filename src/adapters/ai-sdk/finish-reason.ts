import type { ModelFinish } from '../../engine/index.ts';
import type { ProviderFinishReason } from './provider-model.ts';

/** Why the model stopped; an unknown reason reads as `other`. */
export function finishReasonOf(reason: ProviderFinishReason): ModelFinish {
  const word = typeof reason === 'string' ? reason : reason.unified;
  switch (word) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'error':
      return word;
    // In V4, a response that was cut off; it is not an interrupt.
    case 'interrupted':
      return 'error';
    default:
      return 'other';
  }
}
