import { type DevMail, startDevMail } from './start.js';

const PORT_MAX = 65_535;
const SMTP_PORT = 1_025;
const HTTP_PORT = 8_091;

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const options = {
    smtpPort: portOf(env, 'DEV_SMTP_PORT', SMTP_PORT),
    httpPort: portOf(env, 'DEV_MAIL_PORT', HTTP_PORT),
    host: env['DEV_MAIL_HOST'] || '127.0.0.1',
  };
  if (process.argv[2] === 'check') return; // whether the environment will do is known by now
  const mail = await startDevMail(options);
  console.log(`Development mail by ${mail.smtpUrl}, shown at ${mail.url}`);
  process.once('SIGTERM', () => stop(mail));
  process.once('SIGINT', () => stop(mail));
}

function portOf(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const port = Number(env[name] || otherwise);
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new Error(`${name} must be a whole number from 0 to ${PORT_MAX}`);
}

const stop = (mail: DevMail): void => void mail.close().catch(fail);

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

main(process.env).catch(fail);
