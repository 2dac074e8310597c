import { defineConfig } from 'vitepress';

/** The site. `scripts/stage-docs.ts` puts its pages into docs/.site. */
export default defineConfig({
  title: 'Holdpoint',
  description: 'The human-in-the-loop layer for AI agents',
  srcDir: '.site',
  outDir: '../dist-docs',
  cacheDir: '../.cache/vitepress',
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'examples/README.md': 'examples/index.md',
    'bench/README.md': 'bench/index.md',
  },
  // Folders and the licence are not pages.
  ignoreDeadLinks: [/examples\//, /^\.\/(?:\d\d-|apps\/)/, /LICENSE/, /decisions$/],
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Get started', link: '/docs/guides/getting-started' },
      { text: 'Guides', link: '/docs/' },
      { text: 'API', link: '/docs/reference/api/README' },
      { text: 'REST', link: '/docs/reference/rest' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'What it is', link: '/' },
          { text: 'Get started', link: '/docs/guides/getting-started' },
          { text: 'Concepts', link: '/docs/guides/concepts' },
          { text: 'Glossary', link: '/docs/glossary' },
          { text: 'Questions and answers', link: '/docs/faq' },
        ],
      },
      {
        text: 'Guides',
        items: [
          { text: 'Ask for approval', link: '/docs/guides/approvals' },
          { text: 'Ask for input', link: '/docs/guides/user-input' },
          { text: 'Ask for a file', link: '/docs/guides/uploads' },
          { text: 'Policies', link: '/docs/guides/policies' },
          { text: 'Error recovery', link: '/docs/guides/error-recovery' },
          { text: 'Approve from elsewhere', link: '/docs/guides/out-of-band' },
          { text: 'Express, Fastify, Hono', link: '/docs/guides/servers' },
          { text: 'Authentication', link: '/docs/guides/authentication' },
          { text: 'PostgreSQL, several servers', link: '/docs/guides/postgres' },
          { text: 'React', link: '/docs/react' },
          { text: 'Vue, Svelte, Next.js, HTML', link: '/docs/frameworks' },
          { text: 'A2A agents', link: '/docs/guides/a2a' },
          { text: 'Test your agent', link: '/docs/guides/testing' },
          { text: 'Retention and privacy', link: '/docs/privacy' },
          { text: 'Telemetry', link: '/docs/guides/telemetry' },
          { text: 'Operations', link: '/docs/guides/operations' },
        ],
      },
      {
        text: 'Come from another library',
        collapsed: true,
        items: [
          { text: 'Genkit', link: '/docs/migration/from-genkit' },
          { text: 'LangGraph', link: '/docs/migration/from-langgraph' },
          { text: 'AI SDK', link: '/docs/migration/from-ai-sdk' },
          { text: 'OpenAI Agents', link: '/docs/migration/from-openai-agents' },
          { text: 'CopilotKit', link: '/docs/migration/from-copilotkit' },
          { text: 'Microsoft Agent Framework', link: '/docs/migration/from-agent-framework' },
          { text: 'The AG-UI draft', link: '/docs/migration/from-ag-ui-draft' },
        ],
      },
      {
        text: 'Parts',
        items: [
          { text: 'Tools and the loop', link: '/docs/engine' },
          { text: 'Ledger', link: '/docs/ledger' },
          { text: 'Host', link: '/docs/host' },
          { text: 'Adapters', link: '/docs/adapters' },
          { text: 'Client', link: '/docs/client' },
          { text: 'Elements', link: '/docs/elements' },
          { text: 'React', link: '/docs/react' },
          { text: 'Vue, Svelte, Next.js', link: '/docs/frameworks' },
          { text: 'A2A', link: '/docs/a2a' },
          { text: 'Tier 1', link: '/docs/stream' },
          { text: 'Command', link: '/docs/cli' },
          { text: 'Database', link: '/docs/database' },
          { text: 'Protocol', link: '/docs/protocol' },
          { text: 'Content parts', link: '/docs/content' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'API', link: '/docs/reference/api/README' },
          { text: 'REST', link: '/docs/reference/rest' },
          { text: 'Security', link: '/SECURITY' },
          { text: 'Threat model', link: '/docs/threat-model' },
          { text: 'Changes', link: '/CHANGELOG' },
        ],
      },
    ],
  },
});
