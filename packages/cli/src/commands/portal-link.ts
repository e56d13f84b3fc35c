import { AuthAdminServiceService } from '@junction/contracts';
import { Command } from 'commander';
import { apiAt, bearing } from '../api/api.js';
import { line } from '../output.js';
import { settingsOf } from '../settings.js';
import { tokenSource } from '../token.js';
import { asksAuth, examples, type World } from '../world.js';

interface Link {
  readonly url: string;
  readonly expires_at: string;
}

/** `junction portal-link USER` */
export function portalLinkCommand(world: World): Command {
  const command = new Command('portal-link')
    .argument('<user>', 'a user id or an e-mail address')
    .requiredOption('--origin <origin>', 'of the page whose frame it is, one of PORTAL_ORIGINS')
    .option('--name <name>', 'of the product around it')
    .option('--accent <color>', 'of buttons and links, such as #0b7285')
    .option('--logo <url>', 'an image of one of PORTAL_ORIGINS')
    .option('--scheme <scheme>', 'light, dark or auto')
    .description("a link to a user's webhook pages for a frame of another product; it counts once")
    .addHelpText(
      'after',
      examples('portal-link ada@example.com --origin https://app.example.com --accent "#0b7285"'),
    );
  return asksAuth(command, world, 'read', async ({ ops, json, output }, [user = ''], options) => {
    const found = await ops.call(AuthAdminServiceService.getUser, { user });
    const settings = settingsOf(world.env, world.cwd, 'auth');
    const token = tokenSource(settings, { audience: 'auth', scope: 'portals:open' });
    const api = apiAt(new URL(settings.tokenUrl).origin, bearing(await token()));
    const { url, expires_at } = await api.call<Link>('POST', '/api/portal-links', {
      body: {
        user_id: found.user?.userId,
        origin: options['origin'],
        appearance: {
          product_name: options['name'],
          accent_color: options['accent'],
          logo_url: options['logo'],
          color_scheme: options['scheme'],
        },
      },
    });
    output.out(json ? line({ url, expires_at }) : `${url}\n`);
  });
}
