import { type JunctionClient, JunctionProblem, type Tokens } from '@junction/client';
import { z } from 'zod';
import { apiFailure } from '../../api/api-failure.js';
import { baseUrlOf } from '../../api/base-url.js';
import { AS_COMMAND, connectTo } from '../../api/connect.js';
import { sessionOf } from '../../api/session-credential.js';
import { type SessionFile, sessionFile } from '../../api/session-file.js';
import { apiCommand } from '../../api-command.js';
import { usage } from '../../failure.js';
import { type Prompt, prompt } from '../../prompt.js';
import { commandOf } from '../../verbs.js';
import type { World } from '../../world.js';

interface LoginOptions {
  readonly url?: string;
  readonly email?: string;
  readonly apiKey?: string;
}

const CODES = ['totp', 'recovery_code'];
const challenge = z.object({ mfa_token: z.string(), methods: z.array(z.string()) });

/** `junction login` */
export const loginCommand = (world: World) =>
  commandOf({
    name: 'login',
    about: 'log in: with address and password, or with an API key',
    options: [
      ['--url <url>', 'address of the product (JUNCTION_URL)'],
      ['--email <address>', 'address of your account'],
      ['--api-key <key>', 'API key to keep in place of a session'],
    ],
    note: '\nThe password, and the second factor of who has one, are asked for; piped in, they are one line each.\n',
    examples: [
      'login --url https://junction.example.com',
      'login --email ada@example.com < password.txt',
    ],
  }).action(async ({ url: named, email, apiKey }: LoginOptions) => {
    const file = sessionFile(world.env);
    const url = baseUrlOf(world, named, file);
    try {
      if (apiKey === undefined) await logIn({ world, file, url }, email);
      else await keep(file, url, apiKey);
    } catch (error) {
      throw apiFailure(url, error);
    }
    world.output.note(`Logged in at ${url}. ${file.path} keeps it; junction logout ends it.`);
  });

async function keep(file: SessionFile, url: string, key: string): Promise<void> {
  try {
    await connectTo(url, { token: key }).get('/api/auth/me');
  } catch (error) {
    // A key for webhooks alone may not ask who its owner is, and is good all the same.
    if (!(error instanceof JunctionProblem && error.code === 'insufficient_scope')) throw error;
  }
  await file.alone(async () => file.write({ url, api_key: key }));
}

async function logIn(
  { world, file, url }: { readonly world: World; readonly file: SessionFile; readonly url: string },
  named: string | undefined,
): Promise<void> {
  const api = connectTo(url);
  const asked = prompt(world);
  try {
    const email = named ?? (await asked.ask('E-mail'));
    const password = await asked.ask('Password', true);
    const body = { email, password };
    const tokens = await api
      .post('/api/auth/login', { body, headers: AS_COMMAND })
      .catch(async (error: unknown) => secondStep(api, asked, error));
    await file.alone(async () => file.write(sessionOf(url, tokens)));
  } finally {
    asked.close();
  }
}

async function secondStep(api: JunctionClient, asked: Prompt, error: unknown): Promise<Tokens> {
  if (!(error instanceof JunctionProblem && error.code === 'second_factor_required')) throw error;
  const { mfa_token, methods } = challenge.parse(error.body);
  if (!methods.some((method) => CODES.includes(method))) {
    throw usage(
      'The second factor of this account is a passkey, which needs a browser. Make an API key there, and: junction login --api-key KEY',
    );
  }
  const code = (await asked.ask('Code of the second factor, or a recovery code', true)).trim();
  const proof = /^\d{6}$/.test(code) ? { totp_code: code } : { recovery_code: code };
  const body = { mfa_token, ...proof };
  return api.post('/api/auth/login/second-factor', { body, headers: AS_COMMAND });
}

/** `junction logout` */
export const logoutCommand = (world: World) =>
  apiCommand(world, {
    name: 'logout',
    about: 'end the session, and forget it here',
    async run({ api, url, file, output }) {
      const session = file.read();
      if (session === undefined) {
        output.note('Nobody is logged in.');
        return;
      }
      if ('refresh_token' in session && session.url === url) {
        // A 401 means that the session has ended already.
        await api.post('/api/auth/logout', { body: {} }).catch((error: unknown) => {
          if (!(error instanceof JunctionProblem && error.status === 401)) throw error;
        });
      }
      await file.alone(async () => file.remove());
      output.note('Logged out.');
    },
  });
