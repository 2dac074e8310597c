import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fromAiSdk } from '../../adapters/ai-sdk/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import type { ChatModel } from '../../engine/index.ts';

/**
 * A real model by name, such as `openai/gpt-5-mini`: the AI SDK provider `@ai-sdk/openai` has to be installed where the
 * command is run. Throws `INPUT_INVALID` with what to do.
 */
export async function realModel(name: string, folder = process.cwd()): Promise<ChatModel> {
  const [provider = '', ...rest] = name.split('/');
  const id = rest.join('/');
  if (provider === '' || id === '') {
    throw new HoldpointError(
      'INPUT_INVALID',
      'HOLDPOINT_MODEL is provider/model, such as openai/gpt-5-mini.',
    );
  }
  const packageName = `@ai-sdk/${provider}`;
  try {
    const near = createRequire(join(folder, 'package.json'));
    const loaded: unknown = await import(pathToFileURL(near.resolve(packageName)).href);
    const create: unknown = isRecord(loaded) ? loaded[provider] : undefined;
    if (typeof create !== 'function')
      throw new HoldpointError('INPUT_INVALID', `${packageName} has no ${provider}.`);
    // What a provider makes is looked at by `fromAiSdk`.
    return fromAiSdk((create as (model: string) => Parameters<typeof fromAiSdk>[0])(id));
  } catch (cause) {
    if (HoldpointError.is(cause)) throw cause;
    throw new HoldpointError(
      'INPUT_INVALID',
      `${name} needs ${packageName}: run \`npm install ${packageName}\` here.`,
      {
        cause,
      },
    );
  }
}
