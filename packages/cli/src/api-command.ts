import type { JunctionClient } from '@junction/client';
import type { Command } from 'commander';
import { apiFailure } from './api/api-failure.js';
import { baseUrlOf } from './api/base-url.js';
import { connectTo } from './api/connect.js';
import { sessionCredential } from './api/session-credential.js';
import { type SessionFile, sessionFile } from './api/session-file.js';
import { line, type Output } from './output.js';
import { commandOf, type Verb } from './verbs.js';
import type { World } from './world.js';

/** Tools that a developer's command gets. */
export interface ApiContext {
  readonly api: JunctionClient;
  /** URL of the product, without a path. */
  readonly url: string;
  readonly file: SessionFile;
  readonly json: boolean;
  readonly output: Output;
  readonly world: World;
  readonly signal: AbortSignal;
  /** Prints one JSON document for programs, or the text that `text` makes of the value for people. */
  show<T>(value: T, text: (value: T) => string): void;
}

interface ApiOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly json?: boolean;
}

/** Verb of developers: it asks the product's HTTP API. */
export interface ApiVerb<Options> extends Verb {
  readonly run: (context: ApiContext, args: readonly string[], options: Options) => Promise<void>;
}

/** Makes the command of a developers' verb, which asks as whoever is logged in or the API key says. */
export function apiCommand<Options extends object = object>(
  world: World,
  { run, ...verb }: ApiVerb<Options>,
): Command {
  const command = commandOf(verb);
  return command
    .option('--url <url>', 'address of the product (JUNCTION_URL)')
    .option('--api-key <key>', 'act as the owner of this API key (JUNCTION_API_KEY)')
    .option('--json', 'JSON, for programs')
    .action(async () => {
      const { url: named, json = false, ...options } = command.opts<ApiOptions>();
      const apiKey = options.apiKey ?? world.env['JUNCTION_API_KEY'];
      const file = sessionFile(world.env);
      const url = baseUrlOf(world, named, file);
      const credential = apiKey ? { token: apiKey } : sessionCredential(file, url);
      const { output, signal } = world;
      const context: ApiContext = {
        api: connectTo(url, credential),
        url,
        file,
        json,
        output,
        world,
        signal,
        show: (value, text) => output.out(json ? line(value) : text(value)),
      };
      try {
        await run(context, command.args, command.opts<Options>());
      } catch (error) {
        throw apiFailure(url, error);
      }
    });
}
