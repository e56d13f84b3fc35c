import { parseConfig } from './config.js';

async function main(): Promise<void> {
  const config = parseConfig(process.env);
  if (process.argv[2] === 'check') return; // whether the environment will do is known by now
  const { start } = await import('./start.js');
  const provider = await start({ ...config, log: (line) => console.error(line) });
  console.log(
    `${config.profile.name}, a development provider, at ${provider.issuer}, accounts at ${provider.issuer}/account`,
  );

  const stop = () => {
    provider.close().catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    });
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: NodeJS.ErrnoException) => {
  const isTaken = error.code === 'EADDRINUSE';
  console.error(isTaken ? `${error.message}. Choose another PROVIDER_PORT.` : error.message);
  process.exitCode = 1;
});
