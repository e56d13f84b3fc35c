import type { Body } from '@junction/client';
import { Option } from 'commander';
import { apiFailure } from '../api/api-failure.js';
import { connectTo } from '../api/connect.js';
import { settingsOf } from '../settings.js';
import { tokenSource } from '../token.js';
import { operatorCommand } from '../verbs.js';
import type { World } from '../world.js';
import { USER, userIdOf } from './user-named.js';

/** `junction portal-link USER` */
export const command = (world: World) =>
  operatorCommand(world, {
    name: 'portal-link',
    about: "a link to a user's webhook pages for a frame of another product; it counts once",
    args: [USER],
    options: [
      new Option(
        '--origin <origin>',
        'origin of the page that frames it, of PORTAL_ORIGINS',
      ).makeOptionMandatory(),
      ['--name <name>', 'name of the product around it'],
      ['--accent <color>', 'color of buttons and links, such as #0b7285'],
      ['--logo <url>', 'an image of one of PORTAL_ORIGINS'],
      ['--scheme <scheme>', 'light, dark or auto'],
    ],
    examples: ['portal-link ada@example.com --origin https://app.example.com --accent "#0b7285"'],
    only: 'auth',
    async read(context, [user = ''], options) {
      const user_id = await userIdOf(context, user);
      const settings = settingsOf(world.env, world.cwd, 'auth');
      const token = tokenSource(settings, { audience: 'auth', scope: 'portals:open' });
      const { origin: url } = new URL(settings.tokenUrl);
      const body = {
        user_id,
        origin: String(options['origin']),
        appearance: appearanceOf(options),
      };
      const link = await connectTo(url, { token })
        .post('/api/portal-links', { body })
        .catch((error: unknown) => {
          throw apiFailure(url, error);
        });
      context.show({ url: link.url, expires_at: link.expires_at }, `${link.url}\n`);
    },
  });

type Appearance = NonNullable<Body<'/api/portal-links', 'post'>['appearance']>;

function appearanceOf({ name, accent, logo, scheme }: Readonly<Record<string, unknown>>) {
  const chosen = { product_name: name, accent_color: accent, logo_url: logo, color_scheme: scheme };
  // auth checks the words of the command line, and says which of them is wrong.
  return Object.fromEntries(
    Object.entries(chosen).filter(([, value]) => value !== undefined),
  ) as Appearance;
}
