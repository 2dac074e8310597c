import type { FileContent } from '../../content/interrupts/index.ts';
import { defined } from '../../core/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import type { InterruptOptions, PausingContext } from './tool-context.ts';

/** Options of {@link askForFile}. */
export interface AskForFileOptions extends Omit<InterruptOptions, 'reason'> {
  /** Accepted media types and extensions, such as `image/*` or `.pdf`. Default: all. */
  readonly accept?: readonly string[];
  /** Bytes of the file. Default: the limit of the host. */
  readonly maxBytes?: number;
}

/**
 * Asks a person for a file and returns it. Like `ctx.ask`, it stops the body until the answer is there. The host rejects an
 * answer whose file does not exist, belongs to another thread, or has another type or more bytes.
 *
 * @example
 * ```ts
 * import { askForFile, defineTool } from 'holdpoint';
 *
 * const readContract = defineTool({
 *   name: 'readContract',
 *   description: 'Asks for the contract and counts its bytes.',
 *   input: { type: 'object' },
 *   async run(_input, ctx) {
 *     const options = { message: 'Please upload the contract.', accept: ['application/pdf'], maxBytes: 5_000_000 };
 *     const { name, data } = await askForFile(ctx, 'contract', options);
 *     return `${name} has ${data.length} bytes.`;
 *   },
 * });
 * ```
 */
export async function askForFile(
  ctx: Pick<PausingContext, 'ask' | 'files'>,
  name: string,
  options: AskForFileOptions = {},
): Promise<FileContent> {
  const { accept, maxBytes, ...rest } = options;
  const limits = defined({ accept: accept?.join(','), maxBytes });
  const answer = await ctx.ask(name, {
    ...rest,
    reason: InterruptReason.UploadRequired,
    schema: {
      type: 'object',
      format: 'file',
      ...limits,
      properties: { fileId: { type: 'string' }, name: { type: 'string' } },
      required: ['fileId'],
    },
    metadata: { ...limits, ...options.metadata },
  });
  return ctx.files.read((answer as { readonly fileId: string }).fileId);
}
