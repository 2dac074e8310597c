/** The graph that the development server of LangGraph loads. */
import { buildGraph } from './peers/langgraph.mjs';
import { openWorld } from './world.mjs';

export const graph = buildGraph(openWorld(process.env['PROBE_FOLDER'])).compile();
