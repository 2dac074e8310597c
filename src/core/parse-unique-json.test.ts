import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { HoldpointError, parseJson, parseUniqueJson } from './index.ts';

function refusal(text: string): HoldpointError {
  try {
    parseUniqueJson(text);
  } catch (error) {
    if (HoldpointError.is(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('parseUniqueJson', () => {
  it.each([
    ['{"approved":false,"approved":true}', '/approved'],
    ['{"a":1,"b":{"c":[0,{"d/e":1,"d/e":1}]}}', '/b/c/1/d~1e'],
    ['[[],{"x":{"y":{}},"z":"}","x":1}]', '/1/x'],
    [String.raw`{"a":"\\","\u0061":1}`, '/a'],
    [String.raw`{"\"":1,"\"":2}`, '/"'],
  ])('throws INPUT_INVALID for %s with the pointer of the repeated member', (text, pointer) => {
    expect(refusal(text)).toMatchObject({ code: 'INPUT_INVALID', issues: [{ pointer }] });
  });

  it('throws the error of parseJson for text that is not JSON', () => {
    expect(refusal('{"a":')).toMatchObject({ code: 'INPUT_INVALID', issues: [{ message: 'expected JSON' }] });
    expect(refusal('"a')).toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('parses every other JSON text like parseJson', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        if (/__proto__|constructor/.test(text)) return;
        expect(parseUniqueJson(text)).toEqual(parseJson(text));
      }),
      { numRuns: runs(100) },
    );
  });

  it('finds one repeated member at any depth', () => {
    const names = fc.constantFrom('a', 'b"', 'c\\', '{', '[,', ':');
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant('","a":1'));
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(values, values, (first, second) => {
        const repeated = `{"twice":${JSON.stringify(first)},"twice":${JSON.stringify(second)}}`;
        const text = JSON.stringify([first, { second, here: 0 }]).replace(/0\}\]$/, () => `${repeated}}]`);
        expect(refusal(text).issues[0]?.pointer).toBe('/1/here/twice');
      }),
      { numRuns: runs(100) },
    );
  });
});
