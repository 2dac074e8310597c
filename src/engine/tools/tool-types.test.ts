import { type } from 'arktype';
import * as v from 'valibot';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Reply, ToolContext } from '../index.ts';
import { defineInterrupt, defineTool } from '../index.ts';

describe('the types of a tool', () => {
  it('follow its schemas from the body to the answers', () => {
    const tool = defineTool({
      name: 'transfer',
      description: '',
      input: z.object({ to: z.string(), amount: z.string().transform(Number) }),
      resume: z.object({ status: z.enum(['APPROVED', 'REJECTED']) }),
      run(input, ctx) {
        expectTypeOf(input).toEqualTypeOf<{ to: string; amount: number }>();
        expectTypeOf(ctx.resumed).toEqualTypeOf<{ status: 'APPROVED' | 'REJECTED' } | undefined>();
        expectTypeOf(ctx.interrupt).returns.toBeNever();
        return { sent: input.amount };
      },
      display: {
        input: (input) => {
          expectTypeOf(input).toEqualTypeOf<{ to: string; amount: number }>();
          return { amount: `$${input.amount}` };
        },
        output: (output) => {
          expectTypeOf(output).toEqualTypeOf<{ sent: number }>();
          return `$${output.sent}`;
        },
      },
    });
    expectTypeOf(tool.inputOf).returns.toEqualTypeOf<{ to: string; amount: string }>();
    expectTypeOf<NonNullable<Parameters<typeof tool.restart>[1]>>()
      .toHaveProperty('resumed')
      .toEqualTypeOf<{ status: 'APPROVED' | 'REJECTED' }>();
    expectTypeOf(tool.respond).parameter(1).toEqualTypeOf<{ sent: number }>();
    expect(tool.inputSchema).toMatchObject({ required: ['to', 'amount'] });
  });

  it('the types of a tool of defineInterrupt follow its schemas', () => {
    const ask = defineInterrupt({
      name: 'ask',
      description: '',
      input: z.object({ choices: z.array(z.string()) }),
      response: ({ choices }) => {
        expectTypeOf(choices).toEqualTypeOf<string[]>();
        return z.string();
      },
    });
    expectTypeOf(ask.respond).parameter(1).toEqualTypeOf<string>();
    expectTypeOf(ask.respond).returns.toEqualTypeOf<Reply>();
    const body = async (ctx: ToolContext) => {
      expectTypeOf(await ctx.ask('plan', { schema: z.enum(['free', 'pro']) })).toEqualTypeOf<
        'free' | 'pro'
      >();
      expectTypeOf(await ctx.ask('any', {})).toBeUnknown();
      expectTypeOf(await ctx.step('count', () => 1)).toEqualTypeOf<number>();
    };
    expect(body).toBeTypeOf('function');
  });

  it('the types of a tool come from any library with Standard JSON Schema, and from plain JSON Schema', () => {
    const names = [
      defineTool({
        name: 'arktype',
        description: '',
        input: type({ city: 'string' }),
        run: ({ city }) => {
          expectTypeOf(city).toBeString();
          return city;
        },
      }),
      defineTool({
        name: 'valibot',
        description: '',
        input: toStandardJsonSchema(v.object({ city: v.string() })),
        run: ({ city }) => {
          expectTypeOf(city).toBeString();
          return city;
        },
      }),
      defineTool({
        name: 'json',
        description: '',
        input: { type: 'object', properties: { city: { type: 'string' } } },
        run: (input) => {
          expectTypeOf(input).toBeUnknown();
          return input;
        },
      }),
    ].map(({ name, inputSchema }) => [name, JSON.stringify(inputSchema).includes('"city"')]);
    expect(names).toEqual([
      ['arktype', true],
      ['valibot', true],
      ['json', true],
    ]);
  });
});
