import type { Command } from 'commander';
import { accessOf } from './api/access.js';
import { type Api, apiAt, bearing } from './api/api.js';
import { baseUrlOf } from './api/base-url.js';
import { type SessionFile, sessionFile } from './api/session-file.js';
import { line, type Output } from './output.js';
import type { World } from './world.js';

/** Tools that a developer's command gets. */
export interface AskingApi {
  readonly api: Api;
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

/** Lets a command ask the product's HTTP API, as whoever is logged in or the API key says. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers know what commander leaves untyped
export function asksApi<Options extends object>(
  command: Command,
  world: World,
  run: (asking: AskingApi, args: readonly string[], options: Options) => Promise<void>,
): Command {
  return command
    .option('--url <url>', 'where the product answers (JUNCTION_URL)')
    .option('--api-key <key>', 'as whom: an API key (JUNCTION_API_KEY)')
    .option('--json', 'JSON, for programs')
    .action(async () => {
      const { url, json = false, ...options } = command.opts<ApiOptions>();
      const apiKey = options.apiKey ?? world.env['JUNCTION_API_KEY'];
      const file = sessionFile(world.env);
      const base = baseUrlOf(world, url, file);
      const access = apiKey ? bearing(apiKey) : accessOf(file, base);
      const { output, signal } = world;
      const asking: AskingApi = {
        api: apiAt(base, access),
        file,
        json,
        output,
        world,
        signal,
        show: (value, text) => output.out(json ? line(value) : text(value)),
      };
      await run(asking, command.args, command.opts<Options>());
    });
}
