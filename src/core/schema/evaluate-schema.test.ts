import { Validator } from '@cfworker/json-schema';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { HoldpointError } from '../holdpoint-error.ts';
import type { CompiledSchema, JsonSchema } from './index.ts';
import { compileJsonSchema } from './index.ts';

const name = fc.constantFrom('a', 'b', 'a/b', '~', 'ä ü', '0');
const leaf = fc.constantFrom<unknown>(1, 2, 0.3, -1, 'a', 'ab', '', 'x@y.zz', '2020-01-01', true, null, '😀');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

/** Schemas of every keyword, a few keywords each. */
const { schema } = fc.letrec((tie) => {
  const one = tie('schema');
  const several = fc.array(one, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(name, one, { maxKeys: 3 });
  const names = fc.array(name, { maxLength: 2 });
  const count = fc.nat(3);
  const bound = fc.integer({ min: -2, max: 3 });
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', ['integer', 'null']),
    const: leaf,
    enum: fc.array(value, { maxLength: 3 }),
    pattern: fc.constantFrom('^a', 'b$'),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '.'), one, { maxKeys: 2 }),
    format: fc.constantFrom('email', 'date', 'uri', 'nope'),
    multipleOf: fc.constantFrom(1, 2, 0.1, 1e-7),
    uniqueItems: fc.boolean(),
    items: fc.oneof(one, several),
    required: names,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
    dependencies: fc.dictionary(name, fc.oneof(one, names), { maxKeys: 2 }),
    $ref: fc.constantFrom('#/$defs/a', '#/$defs/b', '#'),
    ...of(one, 'not if then else additionalProperties unevaluatedProperties propertyNames contains'),
    ...of(one, 'additionalItems unevaluatedItems'),
    ...of(several, 'anyOf allOf oneOf prefixItems'),
    ...of(byName, 'properties dependentSchemas'),
    ...of(count, 'minProperties maxProperties minItems maxItems minLength maxLength minContains maxContains'),
    ...of(bound, 'minimum maximum exclusiveMinimum exclusiveMaximum'),
  };
  const some = fc.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 });
  return {
    schema: fc.oneof(
      { depthSize: 'medium', maxDepth: 5 },
      fc.boolean(),
      some.chain((used) => fc.record(Object.fromEntries(used.map((each) => [each, keywords[each]!])))),
    ),
  };
});

function of(arbitrary: fc.Arbitrary<unknown>, keywords: string): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, arbitrary]));
}

function compiled(root: JsonSchema): CompiledSchema | undefined {
  try {
    return compileJsonSchema(root);
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return undefined;
    throw error;
  }
}

describe('evaluateSchema', () => {
  it('accepts and rejects the same values as another validator', () => {
    const drafts = fc.constantFrom(['7', 'draft-07'], ['2019-09', '2019-09'], ['2020-12', '2020-12']);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.tuple(schema, schema, schema),
        value,
        drafts,
        ([root, a, b], input, [draft, $schema]) => {
          const whole = { ...(typeof root === 'object' ? root : { not: root }), $defs: { a, b }, $schema };
          const ours = compiled(whole);
          fc.pre(ours !== undefined);
          const { $schema: _, ...theirs } = structuredClone(whole);
          const { valid } = new Validator(theirs, draft, false).validate(structuredClone(input));
          if (!valid) refused += 1;
          expect(ours.validate(input).length === 0).toBe(valid);
        },
      ),
      { numRuns: runs(800) },
    );
    expect(refused).toBeGreaterThan(runs(80));
  });

  it('checks multipleOf by decimal digits', () => {
    const isMultiple = (number: number, multipleOf: number) =>
      compileJsonSchema({ multipleOf }).validate(number).length === 0;
    expect([isMultiple(0.3, 0.1), isMultiple(1.1, 0.1), isMultiple(1e21, 7)]).toEqual([true, true, false]);
    expect([isMultiple(-4, 2), isMultiple(0, 3), isMultiple(1e-7, 1e-8)]).toEqual([true, true, true]);
  });
});
