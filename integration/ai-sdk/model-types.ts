/**
 * Compiled, never run: models of the real specifications fit `fromAiSdk`, and what it asks them fits their types. The
 * second has to be said as well, because a method may be called with less than it declares.
 */
import type { LanguageModel } from 'ai';
import type { LanguageModelV2, LanguageModelV2StreamPart } from 'provider-v2';
import type { LanguageModelV3, LanguageModelV3StreamPart } from 'provider-v3';
import type { LanguageModelV4, LanguageModelV4StreamPart } from 'provider-v4';

import type { AiSdkModel, fromAiSdk, ProviderTool } from '../../src/adapters/ai-sdk/index.ts';
import type { ProviderStreamPart } from '../../src/adapters/ai-sdk/provider-model.ts';

type Fits<Wanted, _Given extends Wanted> = true;
type Parameter = Parameters<typeof fromAiSdk>[0];
type Asked<Version> = Parameters<Extract<AiSdkModel, { specificationVersion: Version }>['doStream']>[0];

export type Models = [
  Fits<Parameter, LanguageModelV2>,
  Fits<Parameter, LanguageModelV3>,
  Fits<Parameter, LanguageModelV4>,
  Fits<Parameter, Exclude<LanguageModel, string>>,
];

export type Requests = [
  Fits<Parameters<LanguageModelV2['doStream']>[0], Asked<'v2'>>,
  Fits<Parameters<LanguageModelV3['doStream']>[0], Asked<'v3'>>,
  Fits<Parameters<LanguageModelV4['doStream']>[0], Asked<'v4'>>,
];

export type Responses = [
  Fits<ProviderStreamPart, LanguageModelV2StreamPart>,
  Fits<ProviderStreamPart, LanguageModelV3StreamPart>,
  Fits<ProviderStreamPart, LanguageModelV4StreamPart>,
];

type ModelV1 = Omit<LanguageModelV3, 'specificationVersion'> & { specificationVersion: 'v1' };

// @ts-expect-error a model of another specification is refused by the compiler too
export type Older = Fits<Parameter, ModelV1>;

// @ts-expect-error a model id of the AI SDK gateway is no model
export type Named = Fits<Parameter, string>;

export type Tools = Fits<
  ProviderTool,
  { type: 'provider'; id: 'openai.web_search'; args: { depth: number } }
>;
