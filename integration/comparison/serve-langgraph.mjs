/** The development server of LangGraph with the graph of the probes. Keeps its data in the folder and writes its address there. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@langchain/langgraph-api/server';

const folder = process.env['PROBE_FOLDER'];
const graphs = { agent: `${join(import.meta.dirname, 'server-graph.mjs')}:graph` };
const { host } = await startServer({ port: 0, nWorkers: 10, host: '127.0.0.1', cwd: folder, graphs });
writeFileSync(join(folder, 'server-url'), `http://${host}`);
process.send('ready');
