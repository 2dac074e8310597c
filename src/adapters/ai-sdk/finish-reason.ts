import type { ModelFinish } from '../../engine/index.ts';
import type { ProviderFinishReason } from './provider-model.ts';

/** Why the model stopped; a word that we do not have reads `other`. */
export function finishReasonOf(reason: ProviderFinishReason): ModelFinish {
  const word = typeof reason === 'string' ? reason : reason.unified;
  switch (word) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'error':
      return word;
    // V4's word for a response that was cut off; nobody is asked anything.
    case 'interrupted':
      return 'error';
    default:
      return 'other';
  }
}
