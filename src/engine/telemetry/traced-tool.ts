import { HoldpointError } from '../../core/index.ts';
import { replaceSecrets } from '../../core/schema/index.ts';
import type { ToolMiddleware } from '../calls/run-context.ts';
import { isSuspension } from '../calls/journal.ts';
import { jsonText } from './content-attributes.ts';
import type { Telemetry, TelemetryContext } from './telemetry.ts';
import { attributes, SPAN_KIND } from './telemetry.ts';

/**
 * Makes each run of a tool's body a span `execute_tool <name>`. Waiting for a person is not an error: the span has
 * `holdpoint.suspended`, and the call gets another span when it continues.
 */
export function tracedTool(telemetry: Telemetry, runContext: TelemetryContext): ToolMiddleware {
  const { api, captureContent } = telemetry;
  return async ({ tool, input, context: toolContext }, next) => {
    if (tool.hidden === true) return next();
    const { signal, toolCallId } = toolContext;
    const shown = captureContent
      ? jsonText(await replaceSecrets(tool.inputSchema, input, () => '***'))
      : undefined;
    const { span, context } = telemetry.open(
      `execute_tool ${tool.name}`,
      {
        kind: SPAN_KIND.internal,
        attributes: attributes({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool.name,
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': toolCallId,
          'gen_ai.tool.call.arguments': shown,
        }),
      },
      runContext,
    );
    let open = true;
    const settle = (describe: () => void) => {
      if (!open) return;
      open = false;
      signal.removeEventListener('abort', stopped);
      describe();
      span.end();
    };
    // The span of a body that ignores its abort ends when the run stops waiting for it.
    const stopped = () =>
      settle(() => {
        if (HoldpointError.is(signal.reason, 'TOOL_FAILED')) telemetry.fail(span, signal.reason);
      });
    signal.addEventListener('abort', stopped, { once: true });
    try {
      const output = await api.context.with(context, () => next());
      settle(() => {
        const result = captureContent ? jsonText(output) : undefined;
        span.setAttributes(attributes({ 'gen_ai.tool.call.result': result }));
      });
      return output;
    } catch (error) {
      settle(() => {
        if (isSuspension(error)) span.setAttributes({ 'holdpoint.suspended': true });
        else if (!signal.aborted) telemetry.fail(span, error);
      });
      throw error;
    }
  };
}
