import { z } from 'zod';
import { defineTool } from '../../../engine/index.ts';
import type { Script } from '../../../testing/index.ts';
import { scriptedModel } from '../../../testing/index.ts';
import type { RegistryOptions } from '../create-registry.ts';

/** Tools of an editor: reading is free, publishing needs an approval. */
export function contentTools() {
  const published: string[] = [];
  const searchContent = defineTool({
    name: 'searchContent',
    description: 'Search for content.',
    input: z.object({
      query: z.string().describe('Search query'),
      contentType: z.string().optional().describe('Content type alias to filter by'),
    }),
    scopes: ['content:read'],
    run: ({ query }) => [`page about ${query}`],
  });
  const publishContent = defineTool({
    name: 'publishContent',
    description: 'Publish a page.',
    input: z.object({ id: z.string() }),
    scopes: ['content:write'],
    approval: true,
    run({ id }) {
      published.push(id);
      return { published: id };
    },
  });
  return { searchContent, publishContent, published };
}

/** A registry's options with a scripted model and the editor's tools. */
export function contentRegistry(script: Script = ['Hello.']) {
  const { searchContent, publishContent, published } = contentTools();
  const model = scriptedModel(script);
  const options = {
    models: { scripted: model },
    profiles: { careful: { model: 'scripted', temperature: 0.2, instructions: 'Be careful.' } },
    tools: [searchContent, publishContent],
    agents: [
      {
        id: 'editor',
        alias: 'content-editor',
        name: 'Editor',
        description: 'Edits pages.',
        profile: 'careful',
        tools: ['searchContent', 'publishContent'],
      },
    ],
  } satisfies RegistryOptions;
  return { options, model, published };
}
