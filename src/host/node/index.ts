/** host/node: a host over `node:http`, with a graceful end. */
export { folderFiles } from './folder-files.ts';
export { serve } from './serve.ts';
export type { ServedHost, ServeOptions } from './serve.ts';
export type { StaticPagesOptions } from './static-pages.ts';
export { staticPages } from './static-pages.ts';
export { toNodeHandler } from './serve.ts';
export { webPages } from './static-pages.ts';
