import { usage } from '../failure.js';
import { gatewayOf, isExposed, isHttpUrl } from '../settings.js';
import type { World } from '../world.js';
import type { SessionFile } from './session-file.js';

const DEFAULT_URL = 'http://localhost:8080';

/**
 * Returns the product's URL without a path: the named one, otherwise that of the login, otherwise that of this
 * checkout.
 * @throws Failure (usage)
 */
export function baseUrlOf(
  { env, cwd }: Pick<World, 'env' | 'cwd'>,
  named: string | undefined,
  file: SessionFile,
): string {
  const text =
    named ?? env['JUNCTION_URL'] ?? file.read()?.url ?? gatewayOf(env, cwd) ?? DEFAULT_URL;
  if (!isHttpUrl(text)) {
    throw usage(`${text} is not the address of a product, such as https://junction.example.com.`);
  }
  const url = new URL(text);
  if (isExposed(url, env)) {
    throw usage(
      `${url.origin} would show passwords and tokens to the network. Use https://; ` +
        'with JUNCTION_ENV=development http:// is allowed.',
    );
  }
  return url.origin;
}
