import { type Answer, type JunctionClient, JunctionProblem } from '@junction/client';
import type { Webhook } from '../../api/answers.js';
import { apiCommand } from '../../api-command.js';
import { fields } from '../../output.js';
import { VERSION } from '../../version.js';
import type { World } from '../../world.js';
import { marksOf } from './strip.js';
import { isFailing, webhooksTable } from './webhook-text.js';
import { webhooksOf } from './webhooks.js';

type User = Answer<'/api/auth/me', 'get'>['user'];

interface Status {
  readonly url: string;
  readonly user: User | null;
  readonly versions: { readonly cli: string; readonly api: string | null };
  readonly webhooks: number;
  readonly failing: readonly Webhook[];
}

/** `junction status` */
export const command = (world: World) =>
  apiCommand(world, {
    name: 'status',
    about: 'show who you are, whether the product answers, and which webhooks fail',
    examples: ['status', 'status --json'],
    async run({ api, url, show }) {
      const [user, version, webhooks] = await Promise.all([
        userOf(api),
        apiVersionOf(url),
        webhooksOf(api),
      ]);
      const status: Status = {
        url,
        user,
        versions: { cli: VERSION, api: version },
        webhooks: webhooks.length,
        failing: webhooks.filter(isFailing),
      };
      const marks = await marksOf(api, status.failing);
      show(status, () => statusText(status, marks));
    },
  });

/** null: the API key may not ask for it. */
async function userOf(api: JunctionClient): Promise<User | null> {
  try {
    return (await api.get('/api/auth/me')).user;
  } catch (error) {
    if (error instanceof JunctionProblem && error.code === 'insufficient_scope') return null;
    throw error;
  }
}

/** Returns the version in the product's OpenAPI document; null when the product serves none. */
async function apiVersionOf(url: string): Promise<string | null> {
  try {
    const response = await fetch(new URL('/openapi.json', url), { redirect: 'error' });
    const { info } = (await response.json()) as { readonly info: { readonly version: string } };
    return info.version;
  } catch {
    return null;
  }
}

function statusText(
  { url, user, versions, webhooks, failing }: Status,
  marks: ReadonlyMap<string, string>,
): string {
  const head = fields({
    product: `${url} answers`,
    you: user === null ? 'an API key that may not say whose' : `${user.email ?? '-'} (${user.id})`,
    versions: `command ${versions.cli}, API ${versions.api ?? 'unknown'}`,
    webhooks: `${webhooks}, ${failing.length === 0 ? 'none fails' : `${failing.length} failing:`}`,
  });
  return failing.length === 0 ? head : `${head}\n${webhooksTable(failing, marks)}`;
}
