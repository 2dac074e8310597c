// Puts the pages of the site into docs/.site: every Markdown page that a user reads, under its own path, so that relative links
// work, and the reference of the routes of a host, made from its OpenAPI document.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createOpenApi } from '../src/host/http/openapi.ts';

const root = join(import.meta.dirname, '..');
const site = join(root, 'docs/.site');
const PAGES = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
  'bench/README.md',
  'bench/results.md',
  'examples/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => /\.md$|^(?:decisions|guides|migration|pictures)$/.test(name))
    .map((name) => `docs/${name}`),
];
for (const page of PAGES) {
  mkdirSync(dirname(join(site, page)), { recursive: true });
  cpSync(join(root, page), join(site, page), { recursive: true });
}

interface Parameter {
  readonly name: string;
  readonly description?: string;
}
type Media = Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>;
}

const document = createOpenApi();
const paths = document['paths'] as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
const { schemas } = document['components'] as unknown as { schemas: Readonly<Record<string, object>> };

/** The media types of a body; a JSON body links to its schema. */
const mediaText = (content: Media): string =>
  Object.entries(content)
    .map(([type, { schema }]) => {
      const name = schema?.$ref?.split('/').at(-1);
      return name === undefined ? `\`${type}\`` : `[${name}](#${name.toLowerCase()})`;
    })
    .join(' or ');

const routes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([method]) => method !== 'parameters')
    .map(([method, { summary, parameters = [], requestBody, responses }]) => {
      const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const failures = Object.keys(responses).filter((status) => /^[45]/.test(status));
      return [
        `## ${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        summary,
        ...(parameters.length === 0
          ? []
          : [
              [
                '| query | meaning |',
                '| --- | --- |',
                ...parameters.map(({ name, description = '' }) => `| \`${name}\` | ${description} |`),
              ].join('\n'),
            ]),
        [
          ...(requestBody === undefined ? [] : [`- Body: ${mediaText(requestBody.content)}`]),
          ...success.map(
            ([status, { content }]) =>
              `- ${status}${content === undefined ? ': no body' : `: ${mediaText(content)}`}`,
          ),
          ...(failures.length === 0 ? [] : [`- Failures: ${failures.join(', ')}, as [Error](#error)`]),
        ].join('\n'),
      ].join('\n\n');
    }),
);

const text = [
  '# The routes of a host',
  'This page is made from the OpenAPI document that every host serves at `/openapi.json`.',
  ...routes,
  '# Schemas',
  ...Object.entries(schemas).map(
    ([name, schema]) => `## ${name}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``,
  ),
].join('\n\n');
mkdirSync(join(site, 'docs/reference'), { recursive: true });
writeFileSync(join(site, 'docs/reference/rest.md'), `${text}\n`);
