import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { registryOrBuiltIn } from './built-in-kinds.ts';
import type { ChatContent } from './chat-content.ts';
import type { CustomRequest, CustomResponse } from './content-kind.ts';
import type { ContentRegistry } from './content-registry.ts';

/**
 * The `resume` of the next run from the responses among some parts, in order; other parts are skipped. The open
 * interrupts give the schemas of responses without an interrupt of their own.
 */
export function contentsToResume<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
>(
  contents: readonly (ChatContent | Request | Response)[],
  open: readonly Interrupt[] = [],
  registry?: ContentRegistry<Request, Response>,
): ResumeEntry[] {
  const kinds = registryOrBuiltIn(registry);
  const byId = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  return contents.flatMap((content) =>
    kinds.isResponse(content) ? [kinds.toResume(content, byId.get(content.id))] : [],
  );
}
