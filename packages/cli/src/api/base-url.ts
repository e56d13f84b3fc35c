import { usage } from '../failure.js';
import { gatewayOf } from '../settings.js';
import type { World } from '../world.js';
import type { SessionFile } from './session-file.js';

const DEFAULT_URL = 'http://localhost:8080';
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw usage(`${text} is not the address of a product, such as https://junction.example.com.`);
  }
  const isOpen = url.protocol === 'http:' && !LOOPBACK.test(url.hostname);
  if (isOpen && env['JUNCTION_ENV'] !== 'development') {
    throw usage(
      `${url.origin} would show passwords and tokens to the network. Use https://; ` +
        'with JUNCTION_ENV=development http:// is allowed.',
    );
  }
  return url.origin;
}
