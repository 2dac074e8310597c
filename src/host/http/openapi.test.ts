import { readFileSync } from 'node:fs';
import { Validator as SchemaValidator } from '@cfworker/json-schema';
import { Validator as OpenApiValidator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../core/index.ts';
import { useDemoHosts } from '../testing-support/demo-hosts.ts';
import { createOpenApi } from './openapi.ts';

const createDemoHost = useDemoHosts();
const documented = createOpenApi();

/** The success response of an operation: its status and the schema of its JSON. */
function successOf(path: string, method: string) {
  const paths = documented['paths'] as Record<string, Record<string, { responses: object }>>;
  const [[status, response] = []] = Object.entries(paths[path]?.[method]?.responses ?? {});
  const content = isRecord(response) ? response['content'] : undefined;
  const json = isRecord(content) ? content['application/json'] : undefined;
  return { status: Number(status), schema: isRecord(json) ? json['schema'] : undefined };
}

function issuesOf(schema: unknown, value: unknown): readonly string[] {
  const whole = { ...(schema as object), components: documented['components'] };
  return new SchemaValidator(whole, '2020-12', false)
    .validate(value)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new OpenApiValidator().validate(structuredClone(documented));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('has the version of the package', () => {
    const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    expect(documented['info']).toMatchObject({ version: JSON.parse(text).version });
  });

  it('has every route of the host, and no other', () => {
    const { host } = createDemoHost();
    const routes = host.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    const paths = documented['paths'] as Record<string, Record<string, unknown>>;
    const named = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(named.toSorted()).toEqual([...new Set(routes)].toSorted());
  });

  it('describes what the host returns', async () => {
    const { as } = createDemoHost();
    const ada = as('ada');
    const { interrupts } = await ada.run({ say: 'email' });
    const id = interrupts[0]?.id ?? '';
    const seen: (readonly [string, string, number, readonly string[]])[] = [];
    const call = async (
      method: string,
      path: string,
      { body, at = path }: { body?: unknown; at?: string } = {},
    ) => {
      const { status, schema } = successOf(path, method);
      const answered = await ada.send(method.toUpperCase(), at, body);
      seen.push([method, path, answered.status, schema === undefined ? [] : issuesOf(schema, answered.body)]);
      expect([path, answered.status]).toEqual([path, status]);
    };
    const interrupt = '/threads/{thread}/interrupts/{interrupt}';
    const here = `/threads/t/interrupts/${id}`;
    await call('get', '/healthz');
    await call('get', '/openapi.json');
    await call('get', '/agents');
    await call('get', '/agents/{agent}', { at: '/agents/assistant' });
    await call('get', '/interrupts');
    await call('get', interrupt, { at: here });
    await call('get', `${interrupt}/history`, { at: `${here}/history` });
    await call('post', `${interrupt}/answer`, {
      at: `${here}/answer`,
      body: { status: 'resolved', payload: { approved: true }, undoMs: 60_000 },
    });
    await call('get', '/threads');
    await call('get', '/threads/{thread}', { at: '/threads/t' });
    await call('patch', '/threads/{thread}', { at: '/threads/t', body: { title: 'Rent' } });
    await call('get', '/threads/{thread}/files', { at: '/threads/t/files' });
    await call('get', '/grants');
    await call('delete', `${interrupt}/answer`, { at: `${here}/answer` });
    await call('delete', '/threads/{thread}', { at: '/threads/t' });
    expect(seen.filter(([, , , issues]) => issues.length > 0)).toEqual([]);
  });
});
