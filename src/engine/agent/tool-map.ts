import { HoldpointError } from '../../core/index.ts';
import type { Tool } from '../tools/tool.ts';

/** Tools by name. Throws `INPUT_INVALID` for two of one name: a call must mean one thing. */
export function toolMap(tools: readonly Tool[]): Map<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (map.has(tool.name)) {
      throw new HoldpointError('INPUT_INVALID', `Two tools have the name ${tool.name}.`);
    }
    map.set(tool.name, tool);
  }
  return map;
}
