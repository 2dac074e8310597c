import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fromAiSdk } from '../../adapters/ai-sdk/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import type { ChatModel } from '../../engine/index.ts';

/**
 * A model by name, such as `openai/gpt-5-mini`, through the AI SDK provider `@ai-sdk/openai`, which must be installed in `folder`.
 * Throws `INPUT_INVALID` with the next step.
 */
export async function realModel(name: string, folder = process.cwd()): Promise<ChatModel> {
  const [provider = '', ...rest] = name.split('/');
  const id = rest.join('/');
  if (provider === '' || id === '') {
    throw new HoldpointError(
      'INPUT_INVALID',
      'HOLDPOINT_MODEL must be provider/model, such as openai/gpt-5-mini.',
    );
  }
  const packageName = `@ai-sdk/${provider}`;
  try {
    const near = createRequire(join(folder, 'package.json'));
    const loaded: unknown = await import(pathToFileURL(near.resolve(packageName)).href);
    const create: unknown = isRecord(loaded) ? loaded[provider] : undefined;
    if (typeof create !== 'function')
      throw new HoldpointError('INPUT_INVALID', `${packageName} does not export ${provider}.`);
    // `fromAiSdk` checks the model.
    return fromAiSdk((create as (model: string) => Parameters<typeof fromAiSdk>[0])(id));
  } catch (cause) {
    if (HoldpointError.is(cause)) throw cause;
    throw new HoldpointError(
      'INPUT_INVALID',
      `${name} needs ${packageName}. Run \`npm install ${packageName}\` in ${folder}.`,
      {
        cause,
      },
    );
  }
}
