import { open as openGraph } from './langgraph.mjs';

/** The same graph; an answer names its interrupt: `Command({ resume: { [id]: value } })`. */
export const open = (folder, world) => openGraph(folder, world, { byId: true });
